#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/cublas/matrix_product.h>

namespace rhyton::gpu {

/// The largest power of two that divides an address, but at most 256, the maximum that any algorithm requires; 256 for
/// null.
inline std::uint32_t alignment_of(const void* address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address) | 256;
  return static_cast<std::uint32_t>(value & (~value + 1));
}

/// The alignments of the addresses of one call.
struct MatrixAlignments {
  std::uint32_t a = 256;
  std::uint32_t b = 256;
  std::uint32_t bias = 256;
  std::uint32_t c = 256;

  MatrixAlignments() = default;
  explicit MatrixAlignments(const MatrixAddresses& addresses)
      : a(alignment_of(addresses.a)),
        b(alignment_of(addresses.b)),
        bias(alignment_of(addresses.bias)),
        c(alignment_of(addresses.c)) {}

  friend bool operator==(const MatrixAlignments&, const MatrixAlignments&) = default;
};

/// Everything that determines the library's choice of an algorithm.
struct MatMulKey {
  int device = 0;
  MatrixProduct product;
  bool adds_bias = false;
  bool tensor_float_32 = false;
  MatrixAlignments alignments;
  std::size_t workspace_bytes = 0;

  friend bool operator==(const MatMulKey&, const MatMulKey&) = default;
};

struct MatMulKeyHash {
  std::size_t operator()(const MatMulKey& key) const {
    const MatrixProduct& product = key.product;
    const std::uint64_t flags = (product.transpose_a ? 1U : 0U) | (product.transpose_b ? 2U : 0U) |
                                (key.adds_bias ? 4U : 0U) | (key.tensor_float_32 ? 8U : 0U);
    std::uint64_t hash = 0;
    for (const std::uint64_t part :
         {static_cast<std::uint64_t>(key.device), static_cast<std::uint64_t>(product.dtype), flags,
          static_cast<std::uint64_t>(product.rows), static_cast<std::uint64_t>(product.columns),
          static_cast<std::uint64_t>(product.depth), static_cast<std::uint64_t>(product.count),
          static_cast<std::uint64_t>(product.a_stride), static_cast<std::uint64_t>(product.b_stride),
          static_cast<std::uint64_t>(product.c_stride), static_cast<std::uint64_t>(key.alignments.a),
          static_cast<std::uint64_t>(key.alignments.b), static_cast<std::uint64_t>(key.alignments.bias),
          static_cast<std::uint64_t>(key.alignments.c), static_cast<std::uint64_t>(key.workspace_bytes)}) {
      // The finalizer of splitmix64, so that each part affects all bits.
      hash += part + 0x9e3779b97f4a7c15U;
      hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
      hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
      hash ^= hash >> 31U;
    }
    return static_cast<std::size_t>(hash);
  }
};

}  // namespace rhyton::gpu
