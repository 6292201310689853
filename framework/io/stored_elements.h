#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::io {

/// The element types in files: those of tensors, and uint64.
enum class StoredType : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64
};

/// The layout of elements in a file.
struct StoredLayout {
  StoredType type = StoredType::float32;
  std::endian byte_order = std::endian::little;
  /// True when the first index varies fastest (Fortran), not the last.
  bool first_index_fastest = false;
};

/// The bytes of one stored element.
std::size_t size_of(StoredType type);

/// The dtype of a tensor of such elements: the same, but int64 for uint64.
DType dtype_for(StoredType type);

/// The bytes of a stored array of that shape. Throws IOError naming `name` when the number overflows 63 bits.
std::uint64_t stored_bytes(const Shape& shape, StoredType type, std::string_view name);

/// A tensor from elements in a file's layout. Throws IOError naming `name` when the number of `bytes` is not exactly
/// what the shape needs, or when a uint64 does not fit into int64.
Tensor tensor_from_stored(const Shape& shape, const StoredLayout& layout, std::span<const std::byte> bytes,
                          std::string_view name);

}  // namespace rhyton::io
