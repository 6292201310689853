#pragma once

#include <string>
#include <utility>

#include <rhyton/framework/tensor/tensor.h>

// From per-sample values to a loss: ranks, masks, weights, reductions. Everything is made of ops.

namespace rhyton::losses {

/// a / b, and 0 where b is 0 (`keras.ops.divide_no_nan`). Both have one floating dtype.
Tensor divide_no_nan(const Tensor& a, const Tensor& b);

/// Lets a column meet a vector: where the ranks differ by one and the longer shape ends in 1, the other tensor gets a
/// last axis of length 1 if it has rank 1, else the axis is dropped. Other tensors come back as they are.
std::pair<Tensor, Tensor> squeeze_or_expand_to_same_rank(const Tensor& a, const Tensor& b);

/// Throws ValueError in Keras's words when `reduction` is none of "sum_over_batch_size", "sum", "mean",
/// "mean_with_sample_weight" and "none".
void check_reduction(const std::string& reduction);

/// The sample weights that also leave out what `mask` (bool; empty for none) leaves out. For the reductions "mean" and
/// "sum_over_batch_size" the entries that are left weigh more, so that the mean is one over them. Empty when both are.
Tensor apply_mask(const Tensor& sample_weight, const Tensor& mask, DType dtype, const std::string& reduction);

/// `values` times `sample_weight` (empty for none; trailing axes broadcast), masked and reduced. The mean divides by
/// the number of values, which the shape tells, and is computed as a sum times a constant.
Tensor reduce_weighted_values(const Tensor& values, const Tensor& sample_weight, const Tensor& mask,
                              const std::string& reduction);

}  // namespace rhyton::losses
