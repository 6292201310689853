#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <rhyton/framework/backends/gpu/cublas/matrix_product.h>
#include <rhyton/framework/backends/gpu/matmul/own_product.h>

namespace rhyton::gpu {

/// [rows, depth] times weights [depth, columns]; transposed: weights [columns, depth].
inline MatrixProduct step_product(DType dtype, std::int64_t rows, std::int64_t depth, std::int64_t columns,
                                  bool is_transposed) {
  MatrixProduct product;
  product.dtype = dtype;
  product.transpose_b = is_transposed;
  product.rows = rows;
  product.columns = columns;
  product.depth = depth;
  return product;
}

/// Multiplies; `scratch` has the bytes that `workspace_bytes_of` gives.
inline void multiply_step(GpuStream& stream, const MatrixProduct& product, const void* states, const void* weights,
                          void* result, std::byte* scratch) {
  const MatrixAddresses addresses = {.a = states, .b = weights, .bias = nullptr, .c = result};
  if (!multiply(stream, product, addresses, {scratch, workspace_bytes_of(product)})) {
    own_product(stream, product, addresses);
  }
}

}  // namespace rhyton::gpu
