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
  /// The dtype of the pieces and of the sums: half types are summed as float32.
  DType dtype = DType::float32;
  DType sum_dtype = DType::float32;
};

/// The maximum bytes of buffers packed together; a larger buffer is a message of its own.
inline constexpr std::int64_t packed_reduction_bytes = std::int64_t{1} << 20;

/// Groups elements into messages. A function of dtypes and numbers of elements only: every process gets the same.
/// Throws ValueError for a dtype that cannot be summed.
std::vector<ReductionMessage> reduction_messages(std::span<const ReductionBuffer> buffers);

/// The memory in which the sums of `message` can be computed: the outputs themselves, already holding the inputs, where
/// they are contiguous and of the sum's dtype; else `staging`, into which the inputs are packed.
std::byte* gather_inputs(std::span<const ReductionBuffer> buffers, const ReductionMessage& message,
                         std::vector<std::byte>& staging);
/// Copies sums that are in `staging` to the outputs.
void scatter_sums(std::span<const ReductionBuffer> buffers, const ReductionMessage& message, const std::byte* sums);

}  // namespace rhyton::distribute
