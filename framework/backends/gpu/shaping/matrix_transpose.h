#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {

/// A matrix [rows, columns] that is to be written as [columns, rows].
struct MatrixToTranspose {
  const void* from;
  void* to;
  std::int64_t rows;
  std::int64_t columns;
};

/// Transposes matrices of elements of that many bytes (1, 2, 4 or 8), many with one launch: the weights of a model.
void transpose_matrices(GpuStream& stream, std::size_t element_bytes, std::span<const MatrixToTranspose> matrices);

}  // namespace rhyton::gpu
