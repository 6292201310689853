#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::optimizers {

/// The gradient, scaled so that its norm is at most `limit`: g · limit / max(‖g‖, limit).
Tensor clip_by_norm(const Tensor& gradient, double limit);

/// The gradients, scaled by one factor so that their global norm is at most `limit`. A norm that is not finite makes
/// all of them NaN, as in Keras.
std::vector<Tensor> clip_by_global_norm(const std::vector<Tensor>& gradients, double limit);

}  // namespace rhyton::optimizers
