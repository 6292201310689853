#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::gpu {

class GpuStream;

/// `count` products c = a b of row-major matrices without gaps: a is [rows, depth] (transposed: [depth, rows]), b is
/// [depth, columns] (transposed: [columns, depth]), c is [rows, columns].
struct MatrixProduct {
  DType dtype = DType::float32;
  bool transpose_a = false;
  bool transpose_b = false;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  std::int64_t count = 1;
  /// Elements from one matrix to the next; 0 where all products share one `a` or one `b`.
  std::int64_t a_stride = 0;
  std::int64_t b_stride = 0;
  std::int64_t c_stride = 0;

  friend bool operator==(const MatrixProduct&, const MatrixProduct&) = default;
};

/// The addresses of the first matrices. A bias of length `columns` is added to each row, unless it is null.
struct MatrixAddresses {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* bias = nullptr;
  void* c = nullptr;
};

/// The maximum number of products per call: some algorithms of cuBLASLt support at most 65535.
inline constexpr std::int64_t max_products_per_call = 1 << 15;

/// The useful size of scratch memory for such products.
std::size_t workspace_bytes_of(const MatrixProduct& product);

/// Submits the products to the stream. All lengths must be positive. Returns false, with nothing done, if the library
/// cannot compute these, or not with their bias.
bool multiply(GpuStream& stream, const MatrixProduct& product, const MatrixAddresses& addresses,
              std::span<std::byte> workspace);

}  // namespace rhyton::gpu
