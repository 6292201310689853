#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/layers/operations/numpy_binary.h>
#include <rhyton/layers/symbolic_tensor.h>

// Joining, cutting, repeating and padding of symbolic tensors. Values, shapes and dtypes are those of the functions for
// tensors.

namespace rhyton {

namespace layers {

/// The operation of a list of that class, of which some have an axis.
SymbolicTensor symbolic_list(std::string_view class_name, const std::vector<SymbolicTensor>& tensors,
                             std::optional<int> axis = std::nullopt);
/// The operation Meshgrid.
std::vector<SymbolicTensor> symbolic_grid(const std::vector<SymbolicTensor>& vectors, GridIndexing indexing);
/// The operation Append.
SymbolicTensor symbolic_append(const Argument& x1, const Argument& x2, std::optional<int> axis);

}  // namespace layers

inline namespace ops {

// Lists. As templates they leave `concatenate({})` to the functions for tensors.

/// One after the other along `axis`.
template <class T = layers::SymbolicTensor>
requires std::same_as<T, layers::SymbolicTensor> layers::SymbolicTensor concatenate(const std::vector<T>& tensors,
                                                                                    int axis = 0) {
  return layers::symbolic_list("Concatenate", tensors, axis);
}
/// Along a new axis.
template <class T = layers::SymbolicTensor>
requires std::same_as<T, layers::SymbolicTensor> layers::SymbolicTensor stack(const std::vector<T>& tensors,
                                                                              int axis = 0) {
  return layers::symbolic_list("Stack", tensors, axis);
}
/// Concatenated along axis 0. Unlike tensors, vectors are not made rows: so it is with Keras's operation.
template <class T = layers::SymbolicTensor>
requires std::same_as<T, layers::SymbolicTensor> layers::SymbolicTensor vstack(const std::vector<T>& tensors) {
  return layers::symbolic_list("Vstack", tensors);
}
/// Concatenated along axis 1, tensors of rank 0 and 1 along axis 0.
template <class T = layers::SymbolicTensor>
requires std::same_as<T, layers::SymbolicTensor> layers::SymbolicTensor hstack(const std::vector<T>& tensors) {
  return layers::symbolic_list("Hstack", tensors);
}
/// Concatenated along axis 2, after [N] became [1, N, 1] and [M, N] became [M, N, 1].
template <class T = layers::SymbolicTensor>
requires std::same_as<T, layers::SymbolicTensor> layers::SymbolicTensor dstack(const std::vector<T>& tensors) {
  return layers::symbolic_list("Dstack", tensors);
}
/// The coordinates of the points of a grid: one tensor for each vector, all of the grid's shape.
template <class T = layers::SymbolicTensor>
requires std::same_as<T, layers::SymbolicTensor> std::vector<layers::SymbolicTensor> meshgrid(
    const std::vector<T>& vectors, GridIndexing indexing = GridIndexing::xy) {
  return layers::symbolic_grid(vectors, indexing);
}

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
/// The parts of `split` along axis 1, of a vector along axis 0, axis 0 and axis 2.
std::vector<layers::SymbolicTensor> hsplit(const layers::SymbolicTensor& x, int sections);
std::vector<layers::SymbolicTensor> hsplit(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& indices);
std::vector<layers::SymbolicTensor> vsplit(const layers::SymbolicTensor& x, int sections);
std::vector<layers::SymbolicTensor> vsplit(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& indices);
std::vector<layers::SymbolicTensor> dsplit(const layers::SymbolicTensor& x, int sections);
std::vector<layers::SymbolicTensor> dsplit(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& indices);
/// `parts` parts whose lengths along `axis` differ by at most 1, the longer ones first.
std::vector<layers::SymbolicTensor> array_split(const layers::SymbolicTensor& x, int parts, int axis = 0);

/// The flat x with each element repeated.
layers::SymbolicTensor repeat(const layers::SymbolicTensor& x, std::int64_t repeats);
/// Each element along `axis` repeated.
layers::SymbolicTensor repeat(const layers::SymbolicTensor& x, std::int64_t times, int axis);
/// Each element along `axis` repeated its own number of times.
layers::SymbolicTensor repeat(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& repeats, int axis);
/// The whole tensor repeated along each axis.
layers::SymbolicTensor tile(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& multiples);
/// With a border of `value`: per axis the number of elements before and after; one pair is for all axes.
layers::SymbolicTensor pad(const layers::SymbolicTensor& x,
                           const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings, double value = 0.0);
/// The same with a border of that mode.
layers::SymbolicTensor pad(const layers::SymbolicTensor& x,
                           const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings, PadMode mode,
                           std::optional<double> constant_value = std::nullopt);
layers::SymbolicTensor pad(const layers::SymbolicTensor& x,
                           const std::vector<std::pair<std::int64_t, std::int64_t>>& pad_width, std::string_view mode,
                           std::optional<double> constant_values = std::nullopt);
/// The same number of elements before and after each axis.
layers::SymbolicTensor pad(const layers::SymbolicTensor& x, std::int64_t pad_width, std::string_view mode = "constant",
                           std::optional<double> constant_values = std::nullopt);

}  // namespace ops
}  // namespace rhyton
