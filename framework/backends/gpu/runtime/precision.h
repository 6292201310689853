#pragma once

namespace rhyton::gpu {

/// Whether products and convolutions of float32 may round their factors to TensorFloat-32, which keeps 10 of the 23
/// bits after the point, to be several times faster.
bool tensor_float_32_allowed();

}  // namespace rhyton::gpu
