#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// The norm of vectors (one axis) or matrices (two axes), of integers in `floatx()`. Without axes all of them, at most
/// two.
///
/// `ord` of a vector: the power p of (Σ |x|^p)^(1/p), by default 2; ±infinity the largest or smallest |x|; 0 the number
/// of elements that are not 0. Of a matrix: by default the root of the sum of squares; ±1 the largest or smallest sum
/// of |x| of a column, ±infinity that of a row. Throws ValueError for other orders and axes, NotImplementedError for the
/// orders ±2 of a matrix, which need singular values. (keras.ops.norm)
Tensor norm(const Tensor& x, std::optional<double> ord = std::nullopt, const std::vector<int>& axes = {},
            bool keepdims = false);
Tensor norm(const Tensor& x, double ord, const std::vector<int>& axes = {}, bool keepdims = false);
/// `ord` is "fro", the default of matrices, or "nuc", which needs singular values: NotImplementedError.
Tensor norm(const Tensor& x, std::string_view ord, const std::vector<int>& axes = {}, bool keepdims = false);

/// x / max(norm, epsilon), with the norm of that order along `axis`; `epsilon` is by default `config::epsilon()`. Throws
/// ValueError for an order below 1. (keras.ops.normalize)
Tensor normalize(const Tensor& x, int axis = -1, int order = 2, std::optional<double> epsilon = std::nullopt);

}  // namespace ops
}  // namespace rhyton
