#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/symbolic_tensor.h>

// The basic functions of keras.ops on symbolic tensors: operations of a functional model. Each has the parameters of
// the function of tensors and throws as it does, where the lengths are known. Other arguments that may be tensors are
// constants of the model if they are not symbolic.

namespace rhyton {
inline namespace ops {

/// The elements converted to `dtype`.
layers::SymbolicTensor cast(const layers::SymbolicTensor& x, DType dtype);
inline layers::SymbolicTensor cast(const layers::SymbolicTensor& x, std::string_view dtype) {
  return cast(x, dtype_from_name(dtype));
}
/// x converted to `dtype`, with values beyond its range limited to it.
layers::SymbolicTensor saturate_cast(const layers::SymbolicTensor& x, DType dtype);
/// The same elements, without a gradient.
layers::SymbolicTensor stop_gradient(const layers::SymbolicTensor& x);
/// The sub-tensors along `axis`, without that axis. Throws ValueError in Keras's words if its length is unknown.
std::vector<layers::SymbolicTensor> unstack(const layers::SymbolicTensor& x, int axis = 0);

/// Zeros of `shape` to which `values` are added at `indices`.
layers::SymbolicTensor scatter(const layers::SymbolicTensor& indices, const layers::Argument& values,
                               const Shape& shape);
/// `inputs` with its sub-tensors at `indices` replaced by `updates`, or combined with them.
layers::SymbolicTensor scatter_update(const layers::SymbolicTensor& inputs, const layers::Argument& indices,
                                      const layers::Argument& updates,
                                      ScatterReduction reduction = ScatterReduction::update);

/// The block of `sizes` elements per axis from `begin` on; a size of -1 reaches to the end.
layers::SymbolicTensor slice(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& begin,
                             const std::vector<std::int64_t>& sizes);
/// The block of `sizes` elements per axis that begins at a tensor or symbolic tensor of indices.
template <class Indices>
requires(std::same_as<Indices, Tensor> || std::same_as<Indices, layers::SymbolicTensor>) layers::SymbolicTensor
    slice(const layers::SymbolicTensor& x, const Indices& start_indices, const std::vector<std::int64_t>& sizes);
/// x with the block that begins at `start_indices` replaced by `updates`.
layers::SymbolicTensor slice_update(const layers::SymbolicTensor& x, const std::vector<std::int64_t>& start_indices,
                                    const layers::Argument& updates);
template <class Indices>
requires(std::same_as<Indices, Tensor> || std::same_as<Indices, layers::SymbolicTensor>) layers::SymbolicTensor
    slice_update(const layers::SymbolicTensor& x, const Indices& start_indices, const layers::Argument& updates);

}  // namespace ops
}  // namespace rhyton
