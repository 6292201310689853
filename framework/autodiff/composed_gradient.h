#pragma once

#include <span>
#include <utility>
#include <vector>

#include <rhyton/framework/autodiff/backpropagation.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/name_scope.h>

namespace rhyton {

/// Records calls of ops for `gradients_of_composition`.
class CompositionRecorder final : public Observer {
 public:
  void applied(const OpPtr& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) override {
    calls.push_back(
        {op, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}, NameScope::current(), nullptr});
  }
  void read(const Variable&, const Tensor&) override {}
  void assigned(const Variable&) override {}

  std::vector<RecordedCall> calls;
};

/// The gradients of the inputs of an op whose outputs `compose(inputs)` computes with differentiable ops: for the
/// derivatives of ops that need them rarely.
template <class Compose>
std::vector<Tensor> gradients_of_composition(const GradientArguments& arguments, const Compose& compose) {
  // One tensor may be several inputs, whose gradients must not be added up here.
  std::vector<Tensor> inputs;
  for (const Tensor& input : arguments.inputs) inputs.push_back(is_floating(input.dtype()) ? input * 1.0 : input);
  CompositionRecorder recorder;
  std::vector<Tensor> outputs;
  {
    const ListenerScope scope(recorder);
    outputs = compose(std::as_const(inputs));
  }
  std::vector<Tensor> targets;
  std::vector<Tensor> target_gradients;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (arguments.output_gradients[i].is_empty()) continue;
    targets.push_back(outputs[i]);
    target_gradients.push_back(arguments.output_gradients[i]);
  }
  std::vector<Tensor> gradients = backpropagate(recorder.calls, targets, target_gradients, inputs);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!arguments.needed[i]) gradients[i] = Tensor();
  }
  return gradients;
}

}  // namespace rhyton
