#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/symbolic_tensor.h>

// Axes, order and diagonals of symbolic tensors. Values, shapes and dtypes are those of the functions for tensors.

namespace rhyton {
inline namespace ops {

/// The elements in another shape, in which one length may be -1: it follows from the others.
layers::SymbolicTensor reshape(const layers::SymbolicTensor& x, const Shape& shape);
/// The bytes of the elements as those of another dtype.
layers::SymbolicTensor view(const layers::SymbolicTensor& x, std::optional<DType> dtype = std::nullopt);
/// The elements in a single axis.
layers::SymbolicTensor ravel(const layers::SymbolicTensor& x);
/// The axes in the given order, by default reversed.
layers::SymbolicTensor transpose(const layers::SymbolicTensor& x, const std::vector<int>& axes = {});
/// The axes `sources` moved to the positions `destinations`.
layers::SymbolicTensor moveaxis(const layers::SymbolicTensor& x, const std::vector<int>& sources,
                                const std::vector<int>& destinations);
layers::SymbolicTensor moveaxis(const layers::SymbolicTensor& x, int source, int destination);
/// Two axes exchanged.
layers::SymbolicTensor swapaxes(const layers::SymbolicTensor& x, int axis1, int axis2);
/// A new axis of length 1 at position `axis`.
layers::SymbolicTensor expand_dims(const layers::SymbolicTensor& x, int axis);
/// Without the given axes, which have length 1; by default without all of length 1.
layers::SymbolicTensor squeeze(const layers::SymbolicTensor& x, const std::vector<int>& axes = {});
/// Axes of length 1 and new ones in front repeated up to the given shape.
layers::SymbolicTensor broadcast_to(const layers::SymbolicTensor& x, const Shape& shape);

/// The elements in reverse order along one axis, or along all.
layers::SymbolicTensor flip(const layers::SymbolicTensor& x, std::optional<int> axis = std::nullopt);
/// The columns in reverse order.
layers::SymbolicTensor fliplr(const layers::SymbolicTensor& x);
/// The rows in reverse order.
layers::SymbolicTensor flipud(const layers::SymbolicTensor& x);
/// Rotated by 90 degrees `k` times, from the first towards the second of the two axes.
layers::SymbolicTensor rot90(const layers::SymbolicTensor& x, int k = 1, const std::vector<int>& axes = {0, 1});
/// The elements shifted by `shift` places along `axis`; without one the flat x.
layers::SymbolicTensor roll(const layers::SymbolicTensor& x, std::int64_t shift,
                            std::optional<int> axis = std::nullopt);
/// The same for several axes.
layers::SymbolicTensor roll(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& shifts,
                            const std::vector<int>& axes);

/// The lower triangle of matrices: 0 above diagonal `k`.
layers::SymbolicTensor tril(const layers::SymbolicTensor& x, std::int64_t k = 0);
/// The upper triangle: 0 below diagonal `k`.
layers::SymbolicTensor triu(const layers::SymbolicTensor& x, std::int64_t k = 0);
/// Of a vector the square matrix with it on diagonal `k`, of a matrix its diagonal `k`.
layers::SymbolicTensor diag(const layers::SymbolicTensor& x, std::int64_t k = 0);
/// The square matrix with the flat x on diagonal `k`.
layers::SymbolicTensor diagflat(const layers::SymbolicTensor& x, std::int64_t k = 0);
/// Diagonal `offset` of the matrices of two axes, as the last axis.
layers::SymbolicTensor diagonal(const layers::SymbolicTensor& x, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1);
/// The sum of that diagonal.
layers::SymbolicTensor trace(const layers::SymbolicTensor& x, std::int64_t offset = 0, int axis1 = 0, int axis2 = 1);

}  // namespace ops
}  // namespace rhyton
