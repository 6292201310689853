#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::distribute {

/// The minimum bytes of a bucket of a sum over processes: RHYTON_REDUCTION_BUCKET_MB megabytes (2^20 bytes), 25 unless
/// set, as in PyTorch's DistributedDataParallel; 0 disables buckets. Throws ValueError when the variable is no such
/// number.
std::int64_t reduction_bucket_bytes();

/// Divides a sum over tensors of these specs into buckets: returns the number of tensors of each, in their order. The
/// last ones, which are begun first, are filled first; the remainder is the first. Buckets begin only where a message
/// of the whole sum begins as well (`reduction_messages`), so that the order of additions stays the same. A sum that is
/// not larger than a bucket stays whole; so does every sum for 0 bytes.
std::vector<std::size_t> reduction_buckets(std::span<const TensorSpec> tensors, std::int64_t bucket_bytes);

}  // namespace rhyton::distribute
