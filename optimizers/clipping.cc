#include <rhyton/optimizers/clipping.h>

#include <cstddef>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton::optimizers {
namespace {

Tensor sum_of_squares(const Tensor& gradient, const Tensor& squares) {
  return sum(squares.is_empty() ? square(gradient) : squares);
}

}  // namespace

Tensor clip_by_norm(const Tensor& gradient, double limit, const Tensor& squares) {
  return gradient * limit / maximum(sqrt(sum_of_squares(gradient, squares)), limit);
}

Tensor factor_of_norm(const Tensor& squares, double limit) { return limit / maximum(sqrt(sum(squares)), limit); }

std::vector<Tensor> clip_by_global_norm(const std::vector<Tensor>& gradients, double limit,
                                        const std::vector<Tensor>& squares) {
  Tensor total;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Tensor square_sum = cast(sum_of_squares(gradients[i], squares[i]), gradients[0].dtype());
    total = total.is_empty() ? square_sum : total + square_sum;
  }
  const Tensor norm = sqrt(total);
  const Tensor not_a_number_if_infinite = norm - norm;
  const Tensor scale = limit * minimum(1.0 / norm, 1.0 / limit) + not_a_number_if_infinite;
  std::vector<Tensor> clipped;
  clipped.reserve(gradients.size());
  for (const Tensor& gradient : gradients) clipped.push_back(gradient * cast(scale, gradient.dtype()));
  return clipped;
}

}  // namespace rhyton::optimizers
