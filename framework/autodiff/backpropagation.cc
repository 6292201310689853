#include <rhyton/framework/autodiff/backpropagation.h>

#include <string>
#include <unordered_map>
#include <unordered_set>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/name_scope.h>

namespace rhyton {
namespace {

// The tensors through which a change of a source can reach anything.
std::unordered_set<const void*> reached_from(std::span<const Tensor> sources, std::span<const RecordedCall> calls) {
  std::unordered_set<const void*> reached;
  for (const Tensor& source : sources) reached.insert(source.identity());
  for (const RecordedCall& call : calls) {
    for (const Tensor& input : call.inputs) {
      if (!reached.contains(input.identity())) continue;
      for (const Tensor& output : call.outputs) {
        if (is_floating(output.dtype())) reached.insert(output.identity());
      }
      break;
    }
  }
  return reached;
}

void accumulate(std::unordered_map<const void*, Tensor>& gradients, const Tensor& of, const Tensor& gradient) {
  Tensor& sum = gradients[of.identity()];
  sum = sum.is_empty() ? gradient : add(sum, gradient);
}

}  // namespace

std::vector<Tensor> backpropagate(std::span<const RecordedCall> calls, std::span<const Tensor> targets,
                                  std::span<const Tensor> target_gradients, std::span<const Tensor> sources) {
  const std::unordered_set<const void*> reached = reached_from(sources, calls);
  std::unordered_map<const void*, Tensor> gradients;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (reached.contains(targets[i].identity())) accumulate(gradients, targets[i], target_gradients[i]);
  }

  for (std::size_t c = calls.size(); c-- > 0;) {
    const RecordedCall& call = calls[c];
    std::vector<Tensor> output_gradients;
    bool any = false;
    for (const Tensor& output : call.outputs) {
      const auto it = gradients.find(output.identity());
      output_gradients.push_back(it == gradients.end() ? Tensor() : it->second);
      any = any || it != gradients.end();
    }
    if (!any) continue;
    std::vector<bool> needed;
    bool any_needed = false;
    for (const Tensor& input : call.inputs) {
      needed.push_back(is_floating(input.dtype()) && reached.contains(input.identity()));
      any_needed = any_needed || needed.back();
    }
    if (!any_needed) continue;
    const NameScope scope(call.scope.empty() ? std::string() : "gradients/" + call.scope);
    const std::vector<Tensor> input_gradients =
        call.op->gradient({call.inputs, call.outputs, output_gradients, needed});
    if (input_gradients.size() != call.inputs.size()) {
      throw RuntimeError("The gradient of op " + std::string(call.op->name()) + " returned " +
                         std::to_string(input_gradients.size()) + " tensors, expected " +
                         std::to_string(call.inputs.size()) + ", one per input.");
    }
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      if (!needed[i] || input_gradients[i].is_empty()) continue;
      if (!(input_gradients[i].spec() == call.inputs[i].spec())) {
        throw RuntimeError("The gradient of op " + std::string(call.op->name()) + " for input " + std::to_string(i) +
                           " has shape " + input_gradients[i].shape().to_string() + ", expected " +
                           call.inputs[i].shape().to_string() + ".");
      }
      accumulate(gradients, call.inputs[i], input_gradients[i]);
    }
  }

  std::vector<Tensor> result;
  for (const Tensor& source : sources) {
    const auto it = gradients.find(source.identity());
    result.push_back(it == gradients.end() ? Tensor() : it->second);
  }
  return result;
}

}  // namespace rhyton
