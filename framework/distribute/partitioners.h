#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/shape.h>

namespace rhyton::distribute {

/// Into how many parts a variable of that shape and dtype is divided along each of its axes. Only the first axis may be
/// divided: all other numbers are 1. Not called for scalars.
using VariablePartitioner = std::function<std::vector<std::int64_t>(const Shape& shape, DType dtype)>;

namespace experimental::partitioners {

/// Every variable into so many parts, or as many as it has rows.
/// https://www.tensorflow.org/api_docs/python/tf/distribute/experimental/partitioners/FixedShardsPartitioner
class FixedShardsPartitioner {
 public:
  /// Throws ValueError for a number below 1.
  explicit FixedShardsPartitioner(std::int64_t num_shards);
  std::vector<std::int64_t> operator()(const Shape& shape, DType dtype) const;

 private:
  std::int64_t num_shards_;
};

/// Parts of at least `min_shard_bytes`, and at most `max_shards` of them.
/// https://www.tensorflow.org/api_docs/python/tf/distribute/experimental/partitioners/MinSizePartitioner
class MinSizePartitioner {
 public:
  /// Throws ValueError for a number below 1.
  explicit MinSizePartitioner(std::int64_t min_shard_bytes = 256 << 10, std::int64_t max_shards = 1);
  std::vector<std::int64_t> operator()(const Shape& shape, DType dtype) const;

 private:
  std::int64_t min_shard_bytes_;
  std::int64_t max_shards_;
};

/// Parts of at most `max_shard_bytes`, but never of less than a row. There are at most `max_shards` parts, where it
/// is given; they may then be larger.
/// https://www.tensorflow.org/api_docs/python/tf/distribute/experimental/partitioners/MaxSizePartitioner
class MaxSizePartitioner {
 public:
  /// Throws ValueError for a number below 1.
  explicit MaxSizePartitioner(std::int64_t max_shard_bytes, std::optional<std::int64_t> max_shards = std::nullopt);
  std::vector<std::int64_t> operator()(const Shape& shape, DType dtype) const;

 private:
  std::int64_t max_shard_bytes_;
  std::optional<std::int64_t> max_shards_;
};

}  // namespace experimental::partitioners
}  // namespace rhyton::distribute
