#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::distribute {

/// The bytes that a bucket of a sum over processes has at least: RHYTON_REDUCTION_BUCKET_MB megabytes (2^20 bytes), 25
/// unless set, as in PyTorch's DistributedDataParallel; 0, where that is 0: sums stay whole. Throws ValueError for what
/// is no such number.
std::int64_t reduction_bucket_bytes();

/// Cuts a sum over tensors of these specs into buckets: how many tensors each takes, in their order. The last ones,
/// which are begun first, are filled first; what is left is the first. Borders stand only where a message of the whole
/// sum begins as well (`reduction_messages`), so that the order of additions stays the same. A sum that is not larger
/// than a bucket stays whole, as does every one for 0 bytes.
std::vector<std::size_t> reduction_buckets(std::span<const TensorSpec> tensors, std::int64_t bucket_bytes);

}  // namespace rhyton::distribute
