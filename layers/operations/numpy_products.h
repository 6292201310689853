#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/ops/tensor_products.h>
#include <rhyton/layers/operations/numpy_binary.h>
#include <rhyton/layers/symbolic_tensor.h>

// Products of symbolic tensors, of which one may be a tensor, which a model keeps as a constant. Values, shapes and
// dtypes are those of the functions for tensors.

namespace rhyton {

namespace layers {

/// The operation Tensordot. `axes` is a number or two lists.
SymbolicTensor symbolic_tensordot(const Argument& x1, const Argument& x2, const Argument& axes);
/// The operation Correlate.
SymbolicTensor symbolic_correlate(const Argument& x1, const Argument& x2, CorrelationMode mode);
/// The operation Cross. `axis` may be None.
SymbolicTensor symbolic_cross(const Argument& x1, const Argument& x2, int axisa, int axisb, int axisc,
                              const Argument& axis);
/// The operation Einsum.
SymbolicTensor symbolic_einsum(const std::string& subscripts, const std::vector<Argument>& operands);

/// A tensor of which a model takes the values: symbolic, or a constant.
template <class T>
concept IsAnyTensor = IsSymbolic<T> || std::same_as<T, Tensor>;

}  // namespace layers

inline namespace ops {

/// The sum of products over the last axis of x1 and the last but one of x2.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor dot(const A& x1, const B& x2) {
  return layers::symbolic_operation("Dot", x1, x2);
}
/// The sum of products over the last axes of both.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor inner(const A& x1, const B& x2) {
  return layers::symbolic_operation("Inner", x1, x2);
}
/// The products of all elements of x1 with all of x2.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor outer(const A& x1, const B& x2) {
  return layers::symbolic_operation("Outer", x1, x2);
}
/// The sum of the products of the elements of both.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor vdot(const A& x1, const B& x2) {
  return layers::symbolic_operation("Vdot", x1, x2);
}
/// Each element of x1 times all of x2, as a block.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor kron(const A& x1, const B& x2) {
  return layers::symbolic_operation("Kron", x1, x2);
}
/// The sums of products over the last `axes` axes of x1 and the first ones of x2.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor tensordot(const A& x1, const B& x2, int axes = 2) {
  return layers::symbolic_tensordot(x1, x2, axes);
}
/// The same over `axes1` of x1 and, in the same order, `axes2` of x2.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor tensordot(const A& x1, const B& x2,
                                                                        const std::vector<int>& axes1,
                                                                        const std::vector<int>& axes2) {
  return layers::symbolic_tensordot(x1, x2, layers::Argument(layers::Argument::List{axes1, axes2}));
}
/// The sums of products of two vectors for each place of x2 along x1.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor correlate(const A& x1, const B& x2,
                                                                        CorrelationMode mode = CorrelationMode::valid) {
  return layers::symbolic_correlate(x1, x2, mode);
}
/// The products of vectors of 2 or 3 elements along `axisa` of x1 and `axisb` of x2, along `axisc` of the result.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor cross(const A& x1, const B& x2, int axisa, int axisb,
                                                                    int axisc) {
  return layers::symbolic_cross(x1, x2, axisa, axisb, axisc, {});
}
/// The same with one axis for all three.
template <class A, class B>
requires layers::SymbolicTensors<A, B> layers::SymbolicTensor cross(const A& x1, const B& x2, int axis = -1) {
  return layers::symbolic_cross(x1, x2, -1, -1, -1, axis);
}
/// The sum of products that the subscripts say, as "bij,bjk->bik".
template <class First, class... Others>
requires((layers::IsAnyTensor<First> && ... &&
          layers::IsAnyTensor<Others>)&&(layers::IsSymbolic<First> || ... ||
                                         layers::IsSymbolic<Others>)) layers::SymbolicTensor
    einsum(const std::string& subscripts, const First& first, const Others&... others) {
  return layers::symbolic_einsum(subscripts, {first, others...});
}

}  // namespace ops
}  // namespace rhyton
