#include <rhyton/framework/distribute/partitioners.h>

#include <algorithm>
#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::distribute::experimental::partitioners {
namespace {

std::int64_t positive(const char* name, std::int64_t value) {
  if (value >= 1) return value;
  throw ValueError("Argument `" + std::string(name) + "` must be positive. Received: " + std::to_string(value));
}

std::vector<std::int64_t> along_first_axis(const Shape& shape, std::int64_t parts) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(shape.rank()), 1);
  if (!result.empty()) result.front() = std::max<std::int64_t>(1, std::min(parts, shape[0]));
  return result;
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t bytes_of(const Shape& shape, DType dtype) {
  return shape.size() * static_cast<std::int64_t>(size_of(dtype));
}

}  // namespace

FixedShardsPartitioner::FixedShardsPartitioner(std::int64_t num_shards)
    : num_shards_(positive("num_shards", num_shards)) {}

std::vector<std::int64_t> FixedShardsPartitioner::operator()(const Shape& shape, DType /*dtype*/) const {
  return along_first_axis(shape, num_shards_);
}

MinSizePartitioner::MinSizePartitioner(std::int64_t min_shard_bytes, std::int64_t max_shards)
    : min_shard_bytes_(positive("min_shard_bytes", min_shard_bytes)), max_shards_(positive("max_shards", max_shards)) {}

std::vector<std::int64_t> MinSizePartitioner::operator()(const Shape& shape, DType dtype) const {
  return along_first_axis(shape, std::min(max_shards_, ceil_divide(bytes_of(shape, dtype), min_shard_bytes_)));
}

MaxSizePartitioner::MaxSizePartitioner(std::int64_t max_shard_bytes, std::optional<std::int64_t> max_shards)
    : max_shard_bytes_(positive("max_shard_bytes", max_shard_bytes)), max_shards_(max_shards) {
  if (max_shards_) positive("max_shards", *max_shards_);
}

std::vector<std::int64_t> MaxSizePartitioner::operator()(const Shape& shape, DType dtype) const {
  if (shape.rank() == 0 || shape.size() == 0) return along_first_axis(shape, 1);
  const std::int64_t row_bytes = bytes_of(shape, dtype) / shape[0];
  const std::int64_t rows_per_shard = std::max<std::int64_t>(1, max_shard_bytes_ / row_bytes);
  const std::int64_t shards = ceil_divide(shape[0], rows_per_shard);
  return along_first_axis(shape, max_shards_ ? std::min(*max_shards_, shards) : shards);
}

}  // namespace rhyton::distribute::experimental::partitioners
