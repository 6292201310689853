#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/layers/argument.h>
#include <rhyton/layers/symbolic_tensor.h>

// The mathematical functions of keras.ops on symbolic tensors: operations of a functional model. Each has the
// parameters of the function of tensors and throws as it does, where the lengths are known. Other arguments that may be
// tensors are constants of the model if they are not symbolic.

namespace rhyton {
inline namespace ops {

/// The error function.
layers::SymbolicTensor erf(const layers::SymbolicTensor& x);
/// 1 - erf(x).
layers::SymbolicTensor erfc(const layers::SymbolicTensor& x);
/// The number whose erf is x.
layers::SymbolicTensor erfinv(const layers::SymbolicTensor& x);
/// 1 / √x.
layers::SymbolicTensor rsqrt(const layers::SymbolicTensor& x);
/// log Σ e^x.
layers::SymbolicTensor logsumexp(const layers::SymbolicTensor& x, const std::vector<int>& axes = {},
                                 bool keepdims = false);

/// The result of `top_k`.
struct SymbolicTopK {
  layers::SymbolicTensor values;
  /// Positions along the last axis, int32.
  layers::SymbolicTensor indices;
};

/// The k largest elements along the last axis, the largest first.
SymbolicTopK top_k(const layers::SymbolicTensor& x, std::int64_t k, bool sorted = true);
/// Whether the score of the target is among the k largest of its row.
layers::SymbolicTensor in_top_k(const layers::Argument& targets, const layers::SymbolicTensor& predictions,
                                std::int64_t k);

/// The distances of the points in the last axis of x from those of y.
layers::SymbolicTensor cdist(const layers::SymbolicTensor& x, const layers::Argument& y);

// Reductions of the elements with one id. Without `num_segments` the shape depends on the ids: then a model gives it
// when it is called, but not in `predict`, which computes in a graph.

layers::SymbolicTensor segment_sum(const layers::SymbolicTensor& data, const layers::Argument& segment_ids,
                                   std::optional<std::int64_t> num_segments = std::nullopt, bool sorted = false);
layers::SymbolicTensor segment_max(const layers::SymbolicTensor& data, const layers::Argument& segment_ids,
                                   std::optional<std::int64_t> num_segments = std::nullopt, bool sorted = false);
layers::SymbolicTensor segment_min(const layers::SymbolicTensor& data, const layers::Argument& segment_ids,
                                   std::optional<std::int64_t> num_segments = std::nullopt, bool sorted = false);
layers::SymbolicTensor segment_prod(const layers::SymbolicTensor& data, const layers::Argument& segment_ids,
                                    std::optional<std::int64_t> num_segments = std::nullopt, bool sorted = false);

}  // namespace ops
}  // namespace rhyton
