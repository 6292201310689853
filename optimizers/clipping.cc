#include <rhyton/optimizers/clipping.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton::optimizers {

Tensor clip_by_norm(const Tensor& gradient, double limit) {
  return gradient * limit / maximum(sqrt(sum(square(gradient))), limit);
}

std::vector<Tensor> clip_by_global_norm(const std::vector<Tensor>& gradients, double limit) {
  Tensor squares;
  for (const Tensor& gradient : gradients) {
    const Tensor square_sum = cast(sum(square(gradient)), gradients[0].dtype());
    squares = squares.is_empty() ? square_sum : squares + square_sum;
  }
  const Tensor norm = sqrt(squares);
  const Tensor not_a_number_if_infinite = norm - norm;
  const Tensor scale = limit * minimum(1.0 / norm, 1.0 / limit) + not_a_number_if_infinite;
  std::vector<Tensor> clipped;
  clipped.reserve(gradients.size());
  for (const Tensor& gradient : gradients) clipped.push_back(gradient * cast(scale, gradient.dtype()));
  return clipped;
}

}  // namespace rhyton::optimizers
