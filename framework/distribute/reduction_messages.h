#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <rhyton/framework/ops/communicator.h>

namespace rhyton::distribute {

/// A run of elements of one buffer.
struct ReductionPiece {
  std::size_t buffer = 0;
  std::int64_t first = 0;
  std::int64_t elements = 0;
};

/// Elements of one dtype that are summed together.
struct ReductionMessage {
  std::vector<ReductionPiece> pieces;
  std::int64_t elements = 0;
  /// Of the pieces, and of the sums: half types are summed as float32.
  DType dtype = DType::float32;
  DType sum_dtype = DType::float32;
};

/// Bytes that buffers are packed together up to; a larger buffer is a message by itself.
inline constexpr std::int64_t packed_reduction_bytes = std::int64_t{1} << 20;

/// Which elements are summed together. A function of dtypes and numbers of elements only: every process finds the same.
/// Throws ValueError for a dtype that cannot be summed.
std::vector<ReductionMessage> reduction_messages(std::span<const ReductionBuffer> buffers);

/// Where in memory the sums of `message` can be computed: the outputs themselves, holding the inputs now, where they
/// lie one after another and are of the sum's dtype; else `staging`, into which the inputs are packed.
std::byte* gather_inputs(std::span<const ReductionBuffer> buffers, const ReductionMessage& message,
                         std::vector<std::byte>& staging);
/// Writes sums that stand in `staging` to the outputs.
void scatter_sums(std::span<const ReductionBuffer> buffers, const ReductionMessage& message, const std::byte* sums);

}  // namespace rhyton::distribute
