#pragma once

#include <string>
#include <utility>

#include <rhyton/framework/tensor/tensor.h>

// Reduces per-sample values to a loss: ranks, masks, weights, reductions. All functions use ops.

namespace rhyton::losses {

/// Makes the ranks of a column and a vector equal: if the ranks differ by one and the longer shape ends in 1, the other
/// tensor gets a last axis of length 1 if it has rank 1, else the axis is dropped. Other tensors are returned
/// unchanged.
std::pair<Tensor, Tensor> squeeze_or_expand_to_same_rank(const Tensor& a, const Tensor& b);

/// Throws ValueError in Keras's words unless `reduction` is "sum_over_batch_size", "sum", "mean",
/// "mean_with_sample_weight" or "none".
void check_reduction(const std::string& reduction);

/// The sample weights with zeros where `mask` (bool; empty for none) is false. For the reductions "mean" and
/// "sum_over_batch_size" the remaining entries are scaled up, so that the mean is taken over them only. Empty when both
/// are.
Tensor apply_mask(const Tensor& sample_weight, const Tensor& mask, DType dtype, const std::string& reduction);

/// `values` times `sample_weight` (empty for none; trailing axes broadcast), masked and reduced. The mean divides by
/// the number of values, which is known from the shape, and is computed as a sum times a constant.
Tensor reduce_weighted_values(const Tensor& values, const Tensor& sample_weight, const Tensor& mask,
                              const std::string& reduction);

}  // namespace rhyton::losses
