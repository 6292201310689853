#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::optimizers {

/// The gradient, scaled so that its norm is at most `limit`: g · limit / max(‖g‖, limit). The norm is the root of the
/// sum of `squares`, which are those of the gradient if they are empty.
Tensor clip_by_norm(const Tensor& gradient, double limit, const Tensor& squares = {});

/// The factor of a gradient with these squares in `clip_by_norm`, a scalar.
Tensor factor_of_norm(const Tensor& squares, double limit);

/// The gradients, scaled by one factor so that their global norm is at most `limit`. A norm that is not finite makes
/// all of them NaN, as in Keras. `squares` has one member for each gradient, as in `clip_by_norm`.
std::vector<Tensor> clip_by_global_norm(const std::vector<Tensor>& gradients, double limit,
                                        const std::vector<Tensor>& squares);

}  // namespace rhyton::optimizers
