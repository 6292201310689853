#pragma once

#include <memory>
#include <span>
#include <vector>

#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton {

/// Who is told when ops are called and variables read or assigned. Listeners form a stack per thread. A call goes down
/// from the top to the first *interpreter*, which executes or records it; then the *observers* above it are told.
class Listener {
 public:
  virtual ~Listener() = default;
};

/// Executes or records calls. Eager execution lies at the bottom of every stack.
class Interpreter : public Listener {
 public:
  virtual std::vector<Tensor> apply(const OpPtr& op, std::span<const Tensor> inputs) = 0;
  virtual Tensor read(const Variable& variable) = 0;
  /// `value` has the variable's spec.
  virtual void assign(const Variable& variable, const Tensor& value) = 0;
};

/// Is told what has been called. It changes nothing.
class Observer : public Listener {
 public:
  virtual void applied(const OpPtr& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) = 0;
  virtual void read(const Variable& variable, const Tensor& value) = 0;
  virtual void assigned(const Variable& variable) = 0;
};

/// Puts a listener on this thread's stack while it lives. Scopes end in the reverse order of their making, except that
/// an observer may leave from the middle.
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

/// The interpreter that would take a call now.
Interpreter& current_interpreter();

/// True when calls are executed at once, false inside a trace.
bool executing_eagerly();

/// True when an observer would be told of a call made now.
bool is_observed();

/// While it lives, calls are executed at once although a trace or a tape is under way (TensorFlow's `tf.init_scope`):
/// weights are made in it.
class InitScope {
 public:
  InitScope();

 private:
  ListenerScope scope_;
};

/// While it lives, no observer below hears anything: `tape.stop_recording()`.
class PauseObservers {
 public:
  PauseObservers();
  ~PauseObservers();
  PauseObservers(const PauseObservers&) = delete;
  PauseObservers& operator=(const PauseObservers&) = delete;
};

/// While it lives, ops infer shapes and dtypes and compute nothing; variables are read as traced tensors and
/// assignments are dropped. Layers find their output shapes with it.
class ShapeInferenceScope {
 public:
  ShapeInferenceScope();
  ~ShapeInferenceScope();
  ShapeInferenceScope(const ShapeInferenceScope&) = delete;
  ShapeInferenceScope& operator=(const ShapeInferenceScope&) = delete;

  /// A tensor without elements, to call with.
  Tensor placeholder(const TensorSpec& spec);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhyton
