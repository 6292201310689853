#pragma once

#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Throws ValueError unless the compute dtype of the layer is floating: for layers that compute with fractions
/// or draw random numbers in it, as Keras does.
void require_floating_compute_dtype(const LayerImpl& layer);

}  // namespace rhyton::layers
