#pragma once

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/argument.h>

namespace rhyton::layers {

/// The shape and dtype of an argument that is a tensor or a symbolic tensor. Throws TypeError for any other.
inline TensorSpec spec_of(const Argument& x) { return x.is_symbolic() ? x.symbolic().spec() : x.tensor().spec(); }

}  // namespace rhyton::layers
