#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <rhyton/framework/backends/gpu/cublas/matrix_product.h>
#include <rhyton/framework/tensor/shape.h>

namespace rhyton::gpu {

/// The products of a MatMul whose leading axes broadcast, as calls of `multiply`: one for each combination of positions
/// on the `outer` axes. Axes that both operands index alike are merged; where all of `a`'s matrices on the innermost
/// axis are multiplied with the same `b`, they are one tall matrix; the longest remaining axis is that of `product`.
struct MatMulBatch {
  struct Axis {
    std::int64_t length = 1;
    std::int64_t a_stride = 0;
    std::int64_t b_stride = 0;
    std::int64_t c_stride = 0;
  };

  MatrixProduct product;
  std::vector<Axis> outer;

  /// `c` is the shape that MatMul infers.
  MatMulBatch(DType dtype, const Shape& a, const Shape& b, const Shape& c, bool transpose_a, bool transpose_b);

  bool is_empty() const;

  /// Calls function(product, a, b, c) with the products of one call and the offsets of its first matrices in elements.
  template <class Function>
  void for_each_call(Function&& function) const {
    std::int64_t calls = 1;
    for (const Axis& axis : outer) calls *= axis.length;
    for (std::int64_t call = 0; call < calls; ++call) {
      std::int64_t rest = call;
      Axis start;
      for (const Axis& axis : outer) {
        const std::int64_t position = rest % axis.length;
        rest /= axis.length;
        start.a_stride += position * axis.a_stride;
        start.b_stride += position * axis.b_stride;
        start.c_stride += position * axis.c_stride;
      }
      for (std::int64_t first = 0; first < product.count; first += max_products_per_call) {
        MatrixProduct part = product;
        part.count = std::min(max_products_per_call, product.count - first);
        function(part, start.a_stride + first * product.a_stride, start.b_stride + first * product.b_stride,
                 start.c_stride + first * product.c_stride);
      }
    }
  }
};

}  // namespace rhyton::gpu
