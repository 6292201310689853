#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// What decides which keys a query may use, as the arguments of a call give it. Tensors are empty if there are none.
struct AttentionMasks {
  /// Of steps, [batch, steps].
  Tensor query;
  Tensor value;
  Tensor key;
  /// Of pairs: its last axes are the queries and the keys.
  Tensor attention;
  bool is_causal = false;
  std::optional<std::int64_t> sliding_window = std::nullopt;

  /// Whether there is any mask besides `attention`.
  bool has_automatic() const {
    return !query.is_empty() || !value.is_empty() || !key.is_empty() || is_causal || sliding_window.has_value();
  }
};

/// Puts axes of length 1 before the axes of queries and keys, `attention_axes` of each, until there are `rank`: [batch,
/// queries, keys] -> [batch, 1, queries, keys]. Throws ValueError for a mask without these axes. `what` is for
/// messages: "`attention_mask`".
Shape expanded_mask_shape(const Shape& mask, int rank, int attention_axes, const std::string& what);
Tensor expand_mask(const Tensor& mask, int rank, int attention_axes, const std::string& what);

/// bool [1, queries, keys]: whether |i - j| < window.
Tensor sliding_window_mask(std::int64_t queries, std::int64_t keys, std::int64_t window);

/// All parts but that of the query and the causal one, for scores [batch, heads, queries, keys]; empty for none. Axes
/// that nothing depends on have length 1.
Tensor mask_of_keys(const AttentionMasks& masks, std::int64_t queries, std::int64_t keys, int attention_axes);

/// All parts together, for scores of that rank; empty for none. One that is only `attention` keeps its dtype.
Tensor mask_of_scores(const AttentionMasks& masks, std::int64_t queries, std::int64_t keys, int rank,
                      int attention_axes);

}  // namespace rhyton::layers
