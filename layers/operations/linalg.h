#pragma once

#include <optional>
#include <string_view>
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
layers::SymbolicTensor norm(const layers::SymbolicTensor& x, double ord, const std::vector<int>& axes = {},
                            bool keepdims = false);
layers::SymbolicTensor norm(const layers::SymbolicTensor& x, std::string_view ord, const std::vector<int>& axes = {},
                            bool keepdims = false);
/// The reduced QR decomposition of the matrices in the last two axes.
std::pair<layers::SymbolicTensor, layers::SymbolicTensor> qr(const layers::SymbolicTensor& x);

}  // namespace ops
}  // namespace rhyton
