#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <rhyton/framework/backends/cpu/attention/products.h>
#include <rhyton/framework/ops/attention.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::cpu {

/// The lengths of a call.
struct AttentionGeometry {
  std::int64_t samples;
  std::int64_t queries;
  std::int64_t heads;
  std::int64_t size;
  std::int64_t keys;
  std::int64_t key_heads;
  std::int64_t value_size;

  AttentionGeometry(const Shape& query, const Shape& key, const Shape& value)
      : samples(query[0]),
        queries(query[1]),
        heads(query[2]),
        size(query[3]),
        keys(key[1]),
        key_heads(key[2]),
        value_size(value[3]) {}

  explicit AttentionGeometry(Kernel::Specs inputs)
      : AttentionGeometry(inputs[0].shape, inputs[1].shape, inputs[2].shape) {}
  explicit AttentionGeometry(std::span<const TensorView> inputs)
      : AttentionGeometry(inputs[0].shape(), inputs[1].shape(), inputs[2].shape()) {}

  /// Heads that share a key.
  std::int64_t group() const { return key_heads == 0 ? 0 : heads / key_heads; }
  /// Independent parts of the work: a key head of a sample each.
  std::int64_t parts() const { return samples * key_heads; }
  std::int64_t key_blocks() const { return (keys + key_block - 1) / key_block; }
  bool is_empty() const { return samples == 0 || queries == 0 || heads == 0; }
};

/// As `Kernel::pieces`: each computes the results of some key heads of samples.
inline std::int64_t attention_pieces(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return AttentionGeometry(inputs).parts();
}

/// Queries whose scores are computed together: fewer where many of a larger block would be hidden.
inline std::int64_t queries_together(const AttentionGeometry& geometry, bool is_causal) {
  if (!is_causal) return query_block;
  if (geometry.queries <= 256) return query_block / 6;
  return query_block / 3;
}

/// A tensor that broadcasts to [batch, heads, queries, keys].
template <class T>
class BroadcastScores {
 public:
  BroadcastScores() = default;
  explicit BroadcastScores(const TensorView& view) : data_(view.as<const T>()) {
    const Shape& shape = view.shape();
    std::int64_t stride = 1;
    for (int axis = 3; axis >= 0; --axis) {
      strides_[static_cast<std::size_t>(axis)] = shape[axis] == 1 ? 0 : stride;
      stride *= shape[axis];
    }
  }

  bool is_present() const { return data_ != nullptr; }
  const T* row(std::int64_t sample, std::int64_t head, std::int64_t query) const {
    return data_ + sample * strides_[0] + head * strides_[1] + query * strides_[2];
  }
  /// Whether one row holds for all queries.
  bool has_one_row() const { return strides_[2] == 0; }
  /// 0 where one element holds for all keys.
  std::int64_t stride() const { return strides_[3]; }

 private:
  const T* data_ = nullptr;
  std::array<std::int64_t, 4> strides_{};
};

/// [batch, positions, heads, size]: the rows of one head of one sample.
template <class T>
RowMatrix<T> rows_of_head(const TensorView& view, std::int64_t sample, std::int64_t head) {
  const Shape& shape = view.shape();
  const std::int64_t stride = shape[2] * shape[3];
  return {view.as<T>() + sample * shape[1] * stride + head * shape[3], stride};
}

}  // namespace rhyton::cpu
