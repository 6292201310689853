#include <rhyton/layers/input_spec.h>

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

void check_input(const LayerImpl& layer, const std::vector<Shape>& inputs, const InputSpec& spec) {
  if (inputs.size() != 1) {
    std::string received;
    for (const Shape& shape : inputs) received += (received.empty() ? "" : ", ") + shape.to_string();
    throw ValueError("Layer \"" + layer.name() + "\" expects 1 input(s), but it received " +
                     std::to_string(inputs.size()) + " input tensors. Inputs received: [" + received + "]");
  }
  const Shape& shape = inputs[0];
  const auto fail = [&](const std::string& detail) {
    throw ValueError("Input 0 with name 'None' of layer '" + layer.name() +
                     "' is incompatible with the layer: " + detail);
  };
  const std::string rank = std::to_string(shape.rank());
  const std::string received = ". Full shape received: " + shape.to_string();
  if (spec.ndim.has_value() && shape.rank() != *spec.ndim) {
    fail("expected ndim=" + std::to_string(*spec.ndim) + ", found ndim=" + rank + received);
  }
  if (spec.min_ndim.has_value() && shape.rank() < *spec.min_ndim) {
    fail("expected min_ndim=" + std::to_string(*spec.min_ndim) + ", found ndim=" + rank + received);
  }
  for (const auto& [axis, length] : spec.axes) {
    const std::int64_t found = shape.at(axis);
    if (found == length || found < 0) continue;
    fail("expected axis " + std::to_string(axis) + " of input shape to have value " + std::to_string(length) +
         ", but received input with shape " + shape.to_string());
  }
}

}  // namespace rhyton::layers
