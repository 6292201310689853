#pragma once

#include <optional>

#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/layers/operations/numpy_binary.h>
#include <rhyton/layers/symbolic_tensor.h>

// Tensors of a pattern that depend on symbolic tensors. Values, shapes and dtypes are those of the functions for
// tensors.

namespace rhyton {

namespace layers {

/// The operation Linspace.
SymbolicTensor symbolic_linspace(const Argument& start, const Argument& stop, const LinspaceOptions& options);
/// The operation Logspace.
SymbolicTensor symbolic_logspace(const Argument& start, const Argument& stop, const LinspaceOptions& options,
                                 double base);

}  // namespace layers

inline namespace ops {

/// 0 in x's shape and, without a dtype, x's.
layers::SymbolicTensor zeros_like(const layers::SymbolicTensor& x, std::optional<DType> dtype = std::nullopt);
/// 1 in x's shape and, without a dtype, x's.
layers::SymbolicTensor ones_like(const layers::SymbolicTensor& x, std::optional<DType> dtype = std::nullopt);
/// `fill_value` in x's shape and, without a dtype, x's.
layers::SymbolicTensor full_like(const layers::SymbolicTensor& x, const Scalar& fill_value,
                                 std::optional<DType> dtype = std::nullopt);
/// `fill_value`, which broadcasts to the shape; without a dtype in `floatx()`.
layers::SymbolicTensor full(const Shape& shape, const layers::SymbolicTensor& fill_value,
                            std::optional<DType> dtype = std::nullopt);
/// Any elements, which are 0, in x's shape and, without a dtype, x's.
layers::SymbolicTensor empty_like(const layers::SymbolicTensor& x, std::optional<DType> dtype = std::nullopt);
/// Evenly spaced numbers from start to stop, on a new axis.
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor linspace(const A& start, const B& stop,
                                                                        const LinspaceOptions& options = {}) {
  return layers::symbolic_linspace(start, stop, options);
}
/// `base` to the powers linspace(start, stop).
template <class A, class B>
requires layers::SymbolicOperands<A, B> layers::SymbolicTensor logspace(const A& start, const B& stop,
                                                                        const LinspaceOptions& options = {},
                                                                        double base = 10.0) {
  return layers::symbolic_logspace(start, stop, options, base);
}

}  // namespace ops
}  // namespace rhyton
