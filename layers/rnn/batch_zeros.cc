#include <rhyton/layers/rnn/batch_zeros.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::layers {

Tensor zeros_of_batch(const Tensor& x, const Shape& shape) {
  std::vector<int> axes;
  for (int axis = 1; axis < x.rank(); ++axis) axes.push_back(axis);
  Tensor zeros = broadcast_like(Tensor::zeros({}, x.dtype()), x);
  if (!axes.empty()) zeros = sum(zeros, axes);
  Shape one = {x.shape()[0]};
  for (int axis = 1; axis < shape.rank(); ++axis) one.push_back(1);
  return add(reshape(zeros, one), Tensor::zeros(shape.slice(1, shape.rank()), x.dtype()));
}

}  // namespace rhyton::layers
