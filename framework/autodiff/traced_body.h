#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <rhyton/framework/autodiff/backpropagation.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracer.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/threading/function_ref.h>

namespace rhyton {

/// A function that was traced by itself, as the body of an op: its graph, and its calls for the derivative. Tensors of
/// the surrounding code and variables that it uses are further inputs behind its arguments. A copy can be extended
/// without changing the original.
class TracedBody {
 public:
  /// Traces `function` on arguments of those specs. Throws NotImplementedError for a function with sums over replicas,
  /// which all replicas must reach.
  TracedBody(const std::vector<TensorSpec>& arguments, const graph::Function& function);

  const std::vector<graph::Tracer::Input>& inputs() const { return tracer_.inputs(); }
  const std::vector<Tensor>& outputs() const { return outputs_; }
  std::vector<TensorSpec> output_specs() const;
  const std::vector<Variable>& assigned() const { return tracer_.assigned(); }

  /// The value of a variable at the end of the body.
  Tensor value_of(const Variable& variable) { return tracer_.read(variable); }
  void add_output(const Tensor& output);
  void set_outputs(const std::vector<Tensor>& outputs);
  /// A copy to be extended by a derivative.
  TracedBody continued() const;
  /// Runs code that continues the body.
  void extend(threading::FunctionRef<void()> code);
  /// Adds an argument, behind the inputs.
  Tensor add_argument(const TensorSpec& spec) { return tracer_.input({spec}); }
  /// The gradients of the inputs for those of the outputs (empty: none), computed in the body, by `extend`'s code.
  /// Empty where no output depends on the input, or `needed` is false.
  std::vector<Tensor> gradients(std::span<const Tensor> output_gradients, const std::vector<bool>& needed) const;

  /// The value that an input has in the surrounding code. Not for arguments.
  static Tensor outer_value(const graph::Tracer::Input& input);

  /// The graph with the outputs.
  graph::Graph graph() const;
  /// The operations of one run.
  double flops() const;

 private:
  graph::Tracer tracer_;
  std::vector<Tensor> outputs_;
  std::vector<RecordedCall> calls_;
};

/// Runs a body on the host. Any number of threads may run it at once.
class CompiledBody {
 public:
  /// `body` must not change any more; it is compiled by the first run.
  explicit CompiledBody(std::shared_ptr<const TracedBody> body) : body_(std::move(body)) {}

  const TracedBody& body() const { return *body_; }
  /// A frame for the runs of one thread.
  graph::Executable::Lease lease() const;

 private:
  std::shared_ptr<const TracedBody> body_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<graph::Executable> executable_;
};

}  // namespace rhyton
