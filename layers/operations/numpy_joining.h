#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/layers/operations/numpy_binary.h>
#include <rhyton/layers/symbolic_tensor.h>

// Joining, cutting, repeating and padding of symbolic tensors. Values, shapes and dtypes are those of the functions for
// tensors.

namespace rhyton {

namespace layers {

/// The operation Append.
SymbolicTensor symbolic_append(const Argument& x1, const Argument& x2, std::optional<int> axis);

}  // namespace layers

inline namespace ops {

/// One after the other along `axis`.
layers::SymbolicTensor concatenate(const std::vector<layers::SymbolicTensor>& tensors, int axis = -1);
/// Along a new axis.
layers::SymbolicTensor stack(const std::vector<layers::SymbolicTensor>& tensors, int axis = 0);
/// Concatenated along axis 0. Unlike tensors, vectors are not made rows: so it is with Keras's operation.
layers::SymbolicTensor vstack(const std::vector<layers::SymbolicTensor>& tensors);
/// Concatenated along axis 1, tensors of rank 0 and 1 along axis 0.
layers::SymbolicTensor hstack(const std::vector<layers::SymbolicTensor>& tensors);
/// Concatenated along axis 2, after [N] became [1, N, 1] and [M, N] became [M, N, 1].
layers::SymbolicTensor dstack(const std::vector<layers::SymbolicTensor>& tensors);
/// x1 and x2 one after the other along `axis`, without an axis both flat.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor append(const A& x1, const B& x2,
                                                                     std::optional<int> axis = std::nullopt) {
  return layers::symbolic_append(x1, x2, axis);
}

/// `sections` parts of one length along `axis`.
std::vector<layers::SymbolicTensor> split(const layers::SymbolicTensor& x, int sections, int axis = 0);
/// The parts before, between and after the given positions along `axis`.
std::vector<layers::SymbolicTensor> split(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& indices,
                                          int axis = 0);
std::vector<layers::SymbolicTensor> split(const layers::SymbolicTensor& x, std::initializer_list<std::int64_t> indices,
                                          int axis = 0);
/// `parts` parts whose lengths along `axis` differ by at most 1, the longer ones first.
std::vector<layers::SymbolicTensor> array_split(const layers::SymbolicTensor& x, int parts, int axis = 0);
/// The coordinates of the points of a grid: one tensor for each vector, all of the grid's shape.
std::vector<layers::SymbolicTensor> meshgrid(const std::vector<layers::SymbolicTensor>& vectors,
                                             GridIndexing indexing = GridIndexing::xy);

/// The flat x with each element repeated.
layers::SymbolicTensor repeat(const layers::SymbolicTensor& x, std::int64_t repeats);
/// Each element along `axis` repeated.
layers::SymbolicTensor repeat(const layers::SymbolicTensor& x, std::int64_t times, int axis);
/// Each element along `axis` repeated its own number of times.
layers::SymbolicTensor repeat(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& repeats, int axis);
/// The whole tensor repeated along each axis.
layers::SymbolicTensor tile(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& multiples);
/// With a border of `value`: per axis the number of elements before and after.
layers::SymbolicTensor pad(const layers::SymbolicTensor& x,
                           const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings, double value = 0.0);
/// The same with a border of that mode.
layers::SymbolicTensor pad(const layers::SymbolicTensor& x,
                           const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings, PadMode mode,
                           std::optional<double> constant_value = std::nullopt);

}  // namespace ops
}  // namespace rhyton
