#pragma once

#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// A new Lambda with the function and the arguments of `layer`, which no configuration holds. Empty for another layer.
Layer copy_of_lambda(const Layer& layer);

}  // namespace rhyton::layers
