#pragma once

#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Throws TypeError unless the compute dtype of the layer is floating: for layers that compute with fractions.
void require_floating_compute_dtype(const LayerImpl& layer);

}  // namespace rhyton::layers
