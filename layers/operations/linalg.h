#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <rhyton/layers/symbolic_tensor.h>

// The linear algebra of keras.ops on symbolic tensors: operations of a functional model. Each has the parameters of the
// function of tensors and throws as it does, where the lengths are known.

namespace rhyton {
inline namespace ops {

/// The norm of vectors (one axis) or matrices (two axes) of that order.
layers::SymbolicTensor norm(const layers::SymbolicTensor& x, std::optional<double> ord = std::nullopt,
                            const std::vector<int>& axes = {}, bool keepdims = false);
/// The same for an order that is given. Templates, so that `{}` is no order rather than the number 0.
template <class Number>
requires std::is_arithmetic_v<Number> layers::SymbolicTensor norm(const layers::SymbolicTensor& x, Number ord,
                                                                  const std::vector<int>& axes = {},
                                                                  bool keepdims = false) {
  return norm(x, std::optional<double>(static_cast<double>(ord)), axes, keepdims);
}
layers::SymbolicTensor norm_by_name(const layers::SymbolicTensor& x, std::string_view ord,
                                    const std::vector<int>& axes = {}, bool keepdims = false);
template <class Name>
requires std::convertible_to<const Name&, std::string_view> layers::SymbolicTensor norm(
    const layers::SymbolicTensor& x, const Name& ord, const std::vector<int>& axes = {}, bool keepdims = false) {
  return norm_by_name(x, ord, axes, keepdims);
}
/// The reduced QR decomposition of the matrices in the last two axes.
std::pair<layers::SymbolicTensor, layers::SymbolicTensor> qr(const layers::SymbolicTensor& x);

}  // namespace ops
}  // namespace rhyton
