#include <rhyton/layers/attention/attention_mask.h>

#include <algorithm>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attention.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::layers {
namespace {

Tensor as_bool(const Tensor& mask) { return cast(mask, DType::bool_); }

Tensor both(const Tensor& a, const Tensor& b) {
  if (a.is_empty()) return b;
  return b.is_empty() ? a : logical_and(a, b);
}

/// [batch, 1, keys]
Tensor of_keys(const Tensor& mask) { return mask.is_empty() ? mask : expand_dims(as_bool(mask), -2); }

}  // namespace

Shape expanded_mask_shape(const Shape& mask, int rank, int attention_axes, const std::string& what) {
  const int last = 2 * attention_axes;
  if (mask.rank() > rank || (mask.rank() < rank && mask.rank() < last)) {
    throw ValueError("The " + what + " has the shape " + mask.to_string() +
                     ": expected the axes of queries and keys, " + "and at most " + std::to_string(rank) + " axes.");
  }
  Shape shape = mask.slice(0, std::max(mask.rank() - last, 0));
  while (shape.rank() < rank - last) shape.push_back(1);
  return shape.concatenate(mask.slice(std::max(mask.rank() - last, 0), mask.rank()));
}

Tensor expand_mask(const Tensor& mask, int rank, int attention_axes, const std::string& what) {
  if (mask.is_empty() || mask.rank() == rank) return mask;
  expanded_mask_shape(mask.shape(), rank, attention_axes, what);
  Tensor expanded = mask;
  while (expanded.rank() < rank) expanded = expand_dims(expanded, expanded.rank() - 2 * attention_axes);
  return expanded;
}

Tensor sliding_window_mask(std::int64_t queries, std::int64_t keys, std::int64_t window) {
  const Tensor query = expand_dims(arange(queries, DType::int64), 1);
  const Tensor key = expand_dims(arange(keys, DType::int64), 0);
  return expand_dims(less(abs(subtract(query, key)), window), 0);
}

Tensor mask_of_keys(const AttentionMasks& masks, std::int64_t queries, std::int64_t keys, int attention_axes) {
  constexpr int rank = 4;
  const auto expanded = [&](const Tensor& mask, const std::string& what) {
    return expand_mask(mask, rank, attention_axes, what);
  };
  Tensor result = both(expanded(of_keys(masks.value), "`value_mask`"), expanded(of_keys(masks.key), "`key_mask`"));
  if (masks.sliding_window.has_value()) {
    const Tensor window = sliding_window_mask(queries, keys, *masks.sliding_window);
    result = both(result, expanded(window, "mask of `sliding_window`"));
  }
  if (masks.attention.is_empty()) return result;
  return both(expanded(as_bool(masks.attention), "`attention_mask`"), result);
}

Tensor mask_of_scores(const AttentionMasks& masks, std::int64_t queries, std::int64_t keys, int rank,
                      int attention_axes) {
  Tensor automatic = masks.query.is_empty() ? masks.query : expand_dims(as_bool(masks.query), -1);
  automatic = both(automatic, of_keys(masks.value));
  automatic = both(automatic, of_keys(masks.key));
  if (masks.is_causal) automatic = both(automatic, expand_dims(causal_mask(queries, keys), 0));
  if (masks.sliding_window.has_value()) {
    automatic = both(automatic, sliding_window_mask(queries, keys, *masks.sliding_window));
  }
  Tensor mask = masks.attention;
  if (!mask.is_empty() && !automatic.is_empty()) {
    // Keras aligns their last axes; where `attention_mask` has the heads, the samples are not to meet them.
    const int common = std::max(mask.rank(), automatic.rank());
    mask = logical_and(expand_mask(as_bool(mask), common, attention_axes, "`attention_mask`"),
                       expand_mask(automatic, common, attention_axes, "mask of the tensors"));
  } else if (mask.is_empty()) {
    mask = automatic;
  }
  return expand_mask(mask, rank, attention_axes, "mask");
}

}  // namespace rhyton::layers
