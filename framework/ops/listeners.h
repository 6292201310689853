#pragma once

#include <memory>
#include <span>
#include <vector>

#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton {

/// Receives calls of ops, and reads and assignments of variables. Listeners form a stack per thread. A call passes from
/// the top to the first *interpreter*, which executes or records it; then the *observers* above it are notified.
class Listener {
 public:
  virtual ~Listener() = default;
};

/// Executes or records calls. Eager execution is at the bottom of every stack.
class Interpreter : public Listener {
 public:
  /// Executes or records a call of an op; returns its outputs.
  virtual std::vector<Tensor> apply(const OpPtr& op, std::span<const Tensor> inputs) = 0;
  /// The value of a variable.
  virtual Tensor read(const Variable& variable) = 0;
  /// Sets the value of a variable, which has its spec.
  virtual void assign(const Variable& variable, const Tensor& value) = 0;
  /// Whether calls are executed at once, so that their results have elements.
  virtual bool executes() const { return false; }
};

/// Is notified of calls. It changes nothing.
class Observer : public Listener {
 public:
  /// Called after an op was called, a variable read or assigned, with the results.
  virtual void applied(const OpPtr& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) = 0;
  virtual void read(const Variable& variable, const Tensor& value) = 0;
  virtual void assigned(const Variable& variable) = 0;
};

/// Puts a listener on this thread's stack during its lifetime. Scopes end in the reverse order of their creation,
/// except that an observer may be removed from the middle.
class ListenerScope {
 public:
  explicit ListenerScope(Interpreter& interpreter);
  explicit ListenerScope(Observer& observer);
  ~ListenerScope();
  ListenerScope(const ListenerScope&) = delete;
  ListenerScope& operator=(const ListenerScope&) = delete;

 private:
  Listener* listener_;
};

/// The interpreter that would handle a call made now.
Interpreter& current_interpreter();

/// True when calls are executed at once by the eager interpreter, false inside a trace.
bool executing_eagerly();

/// True when an observer would be notified of a call made now.
bool is_observed();

/// Tells the observers of a call that was made without them: its outputs were computed while they were paused.
void notify_observers(const OpPtr& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs);

/// During its lifetime, calls are executed at once even inside a trace or a tape (TensorFlow's `tf.init_scope`):
/// weights are created in it.
class InitScope {
 public:
  InitScope();

 private:
  ListenerScope scope_;
};

/// During its lifetime, observers below it are not notified: `tape.stop_recording()`.
class PauseObservers {
 public:
  PauseObservers();
  ~PauseObservers();
  PauseObservers(const PauseObservers&) = delete;
  PauseObservers& operator=(const PauseObservers&) = delete;
};

/// During its lifetime, ops infer shapes and dtypes and compute nothing; variables are read as traced tensors and
/// assignments are dropped. Layers use it to infer their output shapes.
class ShapeInferenceScope {
 public:
  ShapeInferenceScope();
  ~ShapeInferenceScope();
  ShapeInferenceScope(const ShapeInferenceScope&) = delete;
  ShapeInferenceScope& operator=(const ShapeInferenceScope&) = delete;

  /// A tensor without elements, as an argument.
  Tensor placeholder(const TensorSpec& spec);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhyton
