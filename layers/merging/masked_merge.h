#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/merging/base_merge.h>

// How layers that merge tensors of one rank treat steps that the masks exclude, for functions of which 0 is not the
// identity. The result has the mask of the steps that count in any input, if all inputs have masks.

namespace rhyton::layers {

bool has_mask(const std::vector<Tensor>& inputs);

/// The product, with 1 in place of what a mask excludes, and 0 where all masks do.
Tensor multiply_unmasked(const std::vector<Tensor>& inputs);

/// A function without an identity, the maximum or minimum: where one of two operands is excluded, the result is the
/// other.
Tensor merge_unmasked(const std::vector<Tensor>& inputs, MergeFunction function);

}  // namespace rhyton::layers
