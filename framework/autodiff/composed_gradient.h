#pragma once

#include <utility>
#include <vector>

#include <rhyton/framework/autodiff/backpropagation.h>
#include <rhyton/framework/autodiff/call_recorder.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>

namespace rhyton {

/// The gradients of the inputs of an op whose outputs `compose(inputs)` computes with differentiable ops: for the
/// derivatives of ops that need them rarely.
template <class Compose>
std::vector<Tensor> gradients_of_composition(const GradientArguments& arguments, const Compose& compose) {
  // One tensor may be several inputs, whose gradients must not be added up here.
  std::vector<Tensor> inputs;
  for (const Tensor& input : arguments.inputs) inputs.push_back(is_floating(input.dtype()) ? input * 1.0 : input);
  std::vector<RecordedCall> calls;
  CallRecorder recorder(calls);
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
  std::vector<Tensor> gradients = backpropagate(calls, targets, target_gradients, inputs);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!arguments.needed[i]) gradients[i] = Tensor();
  }
  return gradients;
}

}  // namespace rhyton
