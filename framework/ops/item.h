#pragma once

#include <vector>

#include <rhyton/framework/tensor/index.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// x[key]. Bounds of slices beyond the end are clipped, as in Python. Steps may be negative. Throws
/// InvalidArgumentError for an integer out of range, ValueError for more indices than axes, a step of 0 and two
/// ellipses. (Python's `x[key]`)
Tensor get_item(const Tensor& x, const std::vector<Index>& key);

}  // namespace ops
}  // namespace rhyton
