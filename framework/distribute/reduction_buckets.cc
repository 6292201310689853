#include <rhyton/framework/distribute/reduction_buckets.h>

#include <algorithm>
#include <optional>

#include <rhyton/framework/distribute/reduction_messages.h>
#include <rhyton/framework/environment.h>

namespace rhyton::distribute {

std::int64_t reduction_bucket_bytes() {
  constexpr double megabyte = 1 << 20;
  constexpr double usual = 25;
  const std::optional<double> megabytes =
      number_of_environment("RHYTON_REDUCTION_BUCKET_MB", "megabytes from 0 (sums over processes stay whole)");
  return static_cast<std::int64_t>(megabytes.value_or(usual) * megabyte);
}

std::vector<std::size_t> reduction_buckets(std::span<const TensorSpec> tensors, std::int64_t bucket_bytes) {
  std::size_t all_bytes = 0;
  std::vector<ReductionBuffer> buffers;
  for (const TensorSpec& tensor : tensors) {
    buffers.push_back({.elements = tensor.shape.size(), .dtype = tensor.dtype});
    all_bytes += tensor.bytes();
  }
  const auto enough = static_cast<std::size_t>(bucket_bytes);
  if (enough == 0 || all_bytes <= enough) return {tensors.size()};

  std::vector<bool> begins_message(tensors.size(), false);
  for (const ReductionMessage& message : reduction_messages(buffers)) {
    const ReductionPiece& first = message.pieces.front();
    if (first.first == 0) begins_message[first.buffer] = true;
  }
  std::vector<std::size_t> counts;
  std::size_t end = tensors.size();
  std::size_t bytes = 0;
  for (std::size_t i = tensors.size(); i-- > 0;) {
    bytes += tensors[i].bytes();
    if (i > 0 && (bytes < enough || !begins_message[i])) continue;
    counts.push_back(end - i);
    end = i;
    bytes = 0;
  }
  std::reverse(counts.begin(), counts.end());
  return counts;
}

}  // namespace rhyton::distribute
