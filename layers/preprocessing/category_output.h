#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// Integers below `depth` in the form of an `output_mode` of Keras's preprocessing layers:
///
/// - "int": as they are, in `dtype`;
/// - "one_hot": a new last axis of length `depth`, in place of a last axis of length 1;
/// - "multi_hot": 1 for each category that a sample has: [N] -> [depth], [batch, N, ...] -> [batch, ..., depth];
/// - "count": how often it has it, or the sum of the `count_weights` there, in their dtype.
///
/// Of a scalar, the sample has one category. Categories outside of [0, depth) are left out; for "multi_hot" and "count"
/// of at most two axes a negative one throws InvalidArgumentError, as in Keras on TensorFlow.
Tensor encode_categories(const Tensor& categories, const std::string& output_mode, std::int64_t depth, DType dtype,
                         const Tensor& count_weights = {});

}  // namespace rhyton::layers
