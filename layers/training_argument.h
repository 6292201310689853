#pragma once

#include <optional>

#include <rhyton/framework/io/json.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// What the class of Keras that `layer` is one of takes for `training` where a call does not say it, as its `call` has
/// it: `training=False` (Dropout), `training=True` (RandomFlip); empty for `training=None`, for no such argument and
/// for custom classes. Keras 3 writes that into each call of a functional model, as if the caller had said it.
std::optional<bool> default_training(const LayerImpl& layer);

/// What the caller said of training, where a file of Keras 3 has `training` among the arguments of a call of the layer
/// that `entry` describes: empty where it is the default of the class. Of a custom class, whose default no file
/// tells, `false` counts as the default.
std::optional<bool> said_training(const io::Json& entry, bool training);

}  // namespace rhyton::layers
