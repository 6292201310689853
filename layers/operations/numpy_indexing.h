#pragma once

#include <cstdint>
#include <optional>

#include <rhyton/framework/ops/sorting.h>
#include <rhyton/layers/operations/numpy_binary.h>
#include <rhyton/layers/symbolic_tensor.h>

// Elements by place and by order of symbolic tensors. Values, shapes and dtypes are those of the functions for tensors.

namespace rhyton {

namespace layers {

/// The operation Take.
SymbolicTensor symbolic_take(const Argument& x, const Argument& indices, std::optional<int> axis);
/// The operation TakeAlongAxis.
SymbolicTensor symbolic_take_along_axis(const Argument& x, const Argument& indices, std::optional<int> axis);
/// The operation SearchSorted.
SymbolicTensor symbolic_searchsorted(const Argument& sorted_sequence, const Argument& values, SearchSide side);

}  // namespace layers

inline namespace ops {

/// The sub-tensors of x at `indices` along `axis`; without an axis, the elements of the flat x.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor take(const A& x, const B& indices,
                                                                   std::optional<int> axis = std::nullopt) {
  return layers::symbolic_take(x, indices, axis);
}
/// The elements of x whose positions along `axis` are `indices`.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor take_along_axis(const A& x, const B& indices,
                                                                              std::optional<int> axis = std::nullopt) {
  return layers::symbolic_take_along_axis(x, indices, axis);
}

/// The elements in ascending order along `axis`; without one those of the flat x.
layers::SymbolicTensor sort(const layers::SymbolicTensor& x, std::optional<int> axis = -1);
/// The positions of the elements in ascending order.
layers::SymbolicTensor argsort(const layers::SymbolicTensor& x, std::optional<int> axis = -1);
/// Positions of which the first kth + 1 are those of the smallest elements.
layers::SymbolicTensor argpartition(const layers::SymbolicTensor& x, std::int64_t kth, std::optional<int> axis = -1);
/// The positions at which `values` would be inserted into an ascending vector.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor searchsorted(const A& sorted_sequence, const B& values,
                                                                           SearchSide side = SearchSide::left) {
  return layers::symbolic_searchsorted(sorted_sequence, values, side);
}
/// The number of the interval between ascending bins that an element is in.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor digitize(const A& x, const B& bins) {
  return layers::symbolic_operation("Digitize", x, bins);
}

/// The places of elements with these numbers in a tensor of that shape, one tensor for each axis.
std::vector<layers::SymbolicTensor> unravel_index(const layers::SymbolicTensor& indices, const Shape& shape);

}  // namespace ops
}  // namespace rhyton
