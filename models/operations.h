#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/layer.h>

namespace rhyton::models {

/// Whether an entry of a functional model's configuration is an operation on symbolic tensors instead of a layer, as
/// written for `x + y` and `keras.ops.mean(x)`.
bool is_operation(const io::Json& entry);

/// The equivalent layer: Add, Subtract or Multiply for two tensors, Rescaling for a tensor and a number. Throws
/// NotImplementedError naming the operation for any other.
layers::Layer layer_for_operation(const io::Json& entry);

}  // namespace rhyton::models
