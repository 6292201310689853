#pragma once

#include <optional>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// The default of the argument `training` in the `call` of the Keras class that `layer` belongs to: `training=False`
/// (Dropout), `training=True` (RandomFlip); empty for `training=None`, for classes without the argument and for custom
/// classes. Keras 3 writes this default into each call of a functional model, as if the caller had given it.
std::optional<bool> default_training(const LayerImpl& layer);

/// The `training` argument that the caller gave, where a file of Keras 3 has `training` among the arguments of a call
/// of the layer that `entry` describes: empty if it equals the default of the class. For a custom class, whose default
/// is not in the file, `false` counts as the default.
std::optional<bool> said_training(const io::Json& entry, bool training);

}  // namespace rhyton::layers
