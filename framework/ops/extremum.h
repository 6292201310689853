#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// `max` and `min` (reduce.h) that, as TensorFlow's functions of these names, take tensors without elements: the
/// results are the lowest and the highest number of the dtype there.
Tensor reduce_max(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
Tensor reduce_min(const Tensor& x, const std::vector<int>& axes = {}, bool keepdims = false);

}  // namespace ops
}  // namespace rhyton
