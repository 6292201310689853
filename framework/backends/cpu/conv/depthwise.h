#pragma once

#include <cstddef>

#include <rhyton/framework/backends/cpu/conv/geometry.h>

namespace rhyton::cpu {

// Depthwise convolutions (`ConvGeometry::is_depthwise`), for float and double: vectors of channels of several pixels
// stay in registers while the taps of the window are added. No copy with padding is made.

/// a / b. Most strides are 1, and a division takes as long as many products.
inline std::int64_t quotient(std::int64_t a, std::int64_t b) { return b == 1 ? a : a / b; }

/// The workspace of `depthwise_forward` and `depthwise_input_gradient`.
std::size_t depthwise_workspace_bytes(const ConvGeometry& geometry);

/// y = activation(conv2d(x, kernel) · scale + bias), of the geometry's piece; `result` has scale, bias and activation.
template <class T>
void depthwise_forward(const ConvGeometry& geometry, const T* x, const T* kernel, const TileResult<T>& result, T* y,
                       void* workspace);

/// The derivative with respect to the images.
template <class T>
void depthwise_input_gradient(const ConvGeometry& geometry, const T* kernel, const T* dy, T* dx, void* workspace);

/// The derivative with respect to the kernel, and its workspace.
std::size_t depthwise_kernel_gradient_workspace_bytes(const ConvGeometry& geometry);
template <class T>
void depthwise_kernel_gradient(const ConvGeometry& geometry, const T* x, const T* dy, T* gradient, bool accumulate,
                               void* workspace);

}  // namespace rhyton::cpu
