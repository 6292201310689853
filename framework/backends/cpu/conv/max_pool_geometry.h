#pragma once

#include <rhyton/framework/backends/cpu/conv/geometry.h>
#include <rhyton/framework/backends/cpu/pooling/geometry.h>
#include <rhyton/framework/backends/cpu/primitives/vector.h>
#include <rhyton/framework/ops/conv_max_pool.h>

namespace rhyton::cpu {

/// Registers for sums: the others hold a factor and loaded values.
inline constexpr int max_sums = vector_bytes == 64 ? 24 : 12;

/// A convolution and the pooling of its output.
struct ConvMaxPoolGeometry {
  ConvGeometry conv;
  PoolGeometry pool;

  ConvMaxPoolGeometry(const Shape& x, const Shape& kernel, const Conv2DAttributes& window,
                      const Pool2DAttributes& attributes)
      : conv(x, kernel, window), pool({conv.images, conv.rows.output, conv.columns.output, conv.filters}, attributes) {}

  std::int64_t pooled_pixels() const { return pool.rows.output * pool.columns.output; }

  /// Whether windows are adjacent: a row of them is a band of the convolution's output.
  bool has_bands() const { return !conv.is_depthwise() && is_tiled(pool.rows) && is_tiled(pool.columns); }
  /// The convolution without the rows and columns outside of all windows. Only where there are bands.
  ConvGeometry covered() const {
    return conv.cropped(pool.rows.output * pool.rows.stride, pool.columns.output * pool.columns.stride);
  }

 private:
  static bool is_tiled(const WindowAxis& axis) {
    return axis.stride == axis.window && axis.pad_before + axis.pad_after == 0;
  }
};

// The kernels of the derivatives; each file defines its own.

void register_conv_max_pool_input_gradient_kernels(KernelTable& table);
void register_conv_max_pool_kernel_gradient_kernels(KernelTable& table);

}  // namespace rhyton::cpu
