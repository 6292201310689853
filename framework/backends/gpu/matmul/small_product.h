#pragma once

#include <cstdint>

#include <rhyton/framework/backends/gpu/cublas/matrix_product.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {

/// Whether `small_product` is likely to be faster than cuBLASLt, which computes such products with few blocks and one
/// step of the depth after the other. A function of the lengths alone, so that a product always has the same bits. The
/// numbers are estimates, to be measured: beyond them the library's tensor cores, or the blocks among which it divides
/// the depth, gain more than a launch costs.
constexpr bool is_small(const MatrixProduct& product) {
  constexpr std::int64_t max_depth = 1 << 10;
  constexpr std::int64_t max_results = 1 << 17;
  constexpr std::int64_t max_multiplications = 1 << 23;
  if (product.depth > max_depth || product.rows > max_results || product.columns > max_results ||
      product.count > max_results) {
    return false;
  }
  // A block computes at least 8 by 8 results, though fewer may be needed.
  const std::int64_t results = (product.rows + 7) / 8 * 8 * ((product.columns + 7) / 8 * 8) * product.count;
  return results <= max_results && results * product.depth <= max_multiplications;
}

/// The same products as `multiply`, of positive lengths for which `is_small` holds, with any floating dtype and
/// addresses, in one launch: without TensorFloat-32, and then max(0, c) of them if they are rectified (NaN stays NaN).
void small_product(GpuStream& stream, const MatrixProduct& product, const MatrixAddresses& addresses,
                   bool is_rectified);

}  // namespace rhyton::gpu
