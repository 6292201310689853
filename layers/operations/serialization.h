#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Whether an entry of a functional model's configuration is an operation on symbolic tensors instead of a layer, as
/// written for `x + y` and `keras.ops.mean(x)`.
bool is_operation(const io::Json& entry);

/// The layer for such an entry, without its call. Throws NotImplementedError naming an operation that Rhyton lacks,
/// TypeError for unknown arguments.
Layer deserialize_operation(const io::Json& entry);

/// The entry of an operation besides its name and its calls.
io::Json serialize_operation(const Layer& layer);

}  // namespace rhyton::layers
