#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// The norm of vectors (one axis) or matrices (two axes), of integers in `floatx()`. Without axes all of them, at most
/// two.
///
/// `ord` of a vector: the power p of (Σ |x|^p)^(1/p), by default 2; ±infinity the largest or smallest |x|; 0 the number
/// of elements that are not 0. Of a matrix: by default the root of the sum of squares; ±1 the largest or smallest sum
/// of |x| of a column, ±infinity that of a row; ±2 the largest or smallest singular value. Throws ValueError for other
/// orders and axes. (keras.ops.norm)
Tensor norm(const Tensor& x, std::optional<double> ord = std::nullopt, const std::vector<int>& axes = {},
            bool keepdims = false);
/// The same for an order that is given. A template, so that `{}` is no order rather than the number 0.
template <class Number>
requires std::is_arithmetic_v<Number> Tensor norm(const Tensor& x, Number ord, const std::vector<int>& axes = {},
                                                  bool keepdims = false) {
  return norm(x, std::optional<double>(static_cast<double>(ord)), axes, keepdims);
}

/// The norm of a matrix that `ord` names: "fro", the default, or "nuc", the sum of the singular values. Throws
/// ValueError for other names, and for vectors.
Tensor norm_by_name(const Tensor& x, std::string_view ord, const std::vector<int>& axes = {}, bool keepdims = false);
template <class Name>
requires std::convertible_to<const Name&, std::string_view> Tensor norm(const Tensor& x, const Name& ord,
                                                                        const std::vector<int>& axes = {},
                                                                        bool keepdims = false) {
  return norm_by_name(x, ord, axes, keepdims);
}

/// x / max(norm, epsilon), with the norm of that order along `axis`; `epsilon` is by default `config::epsilon()`. As in
/// Keras, order 2 is x · min(1 / norm, 1 / epsilon) in the dtype of x: in float16 1 / epsilon is infinite from an
/// epsilon of 1.5e-5 down, also by default, and zeros become NaN. Throws ValueError for an order below 1.
/// (keras.ops.normalize)
Tensor normalize(const Tensor& x, int axis = -1, int order = 2, std::optional<double> epsilon = std::nullopt);

/// The distances of the points in the last axis of x [..., M, D] from those of y [..., N, D]: [..., M, N]. Of integers
/// in `floatx()`. As in Keras the gradient of a distance of 0 is not finite. Throws ValueError for a rank below 2 and
/// for different last axes. (keras.ops.cdist)
Tensor cdist(const Tensor& x, const Tensor& y);

}  // namespace ops
}  // namespace rhyton
