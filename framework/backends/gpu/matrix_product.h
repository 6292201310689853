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

/// Where the first matrices lie. A bias of length `columns` is added to each row, unless it is null.
struct MatrixAddresses {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* bias = nullptr;
  void* c = nullptr;
};

/// The most products that one call takes: cuBLASLt has algorithms that know no more than 65535 at once.
inline constexpr std::int64_t most_products_per_call = 1 << 15;

/// Scratch memory that is worth having for such products.
std::size_t workspace_bytes_of(const MatrixProduct& product);

/// Gives the products to the stream. All lengths must be positive. Returns false, with nothing done, where the library
/// cannot add a bias to these; without a bias it throws where it cannot compute them.
bool multiply(GpuStream& stream, const MatrixProduct& product, const MatrixAddresses& addresses,
              std::span<std::byte> workspace);

}  // namespace rhyton::gpu
