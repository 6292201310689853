#include <rhyton/layers/rnn/step_loop.h>

#include <algorithm>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::layers {
namespace {

/// `value` where the mask [batch] is true, else `other`.
Tensor where_valid(const Tensor& mask, const Tensor& value, const Tensor& other) {
  Shape shape = {mask.shape()[0]};
  for (int axis = 1; axis < value.rank(); ++axis) shape.push_back(1);
  return where(reshape(mask, shape), value, other);
}

}  // namespace

CellSequenceResult step_loop(const CellStep& step, const CellSequence& sequence) {
  std::vector<Tensor> inputs = unstack(sequence.inputs, 1);
  std::vector<Tensor> masks = sequence.mask.is_empty() ? std::vector<Tensor>() : unstack(sequence.mask, 1);
  if (sequence.go_backwards) {
    std::reverse(inputs.begin(), inputs.end());
    std::reverse(masks.begin(), masks.end());
  }
  CellSequenceResult result{.last_output = {}, .outputs = {}, .states = sequence.initial_states};
  std::vector<Tensor> outputs;
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    CellResult next = step(inputs[t], result.states);
    if (!masks.empty()) {
      const Tensor previous = t == 0 || sequence.zero_output_for_mask ? zeros_like(next.output) : result.last_output;
      next.output = where_valid(masks[t], next.output, previous);
      for (std::size_t i = 0; i < next.states.size(); ++i) {
        next.states[i] = where_valid(masks[t], next.states[i], result.states[i]);
      }
    }
    result.last_output = next.output;
    result.states = std::move(next.states);
    if (sequence.return_sequences) outputs.push_back(result.last_output);
  }
  if (sequence.go_backwards) std::reverse(outputs.begin(), outputs.end());
  if (sequence.return_sequences) result.outputs = stack(outputs, 1);
  return result;
}

}  // namespace rhyton::layers
