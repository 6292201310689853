#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include <rhyton/framework/backends/cpu/attention/geometry.h>
#include <rhyton/framework/backends/cpu/primitives/exponential.h>
#include <rhyton/framework/backends/cpu/random/draw.h>

namespace rhyton::cpu {

/// The score of a hidden key: its exponential is zero.
template <class T>
inline constexpr T hidden_score = -std::numeric_limits<T>::infinity();

/// Bias, mask, limit and dropout of a block of scores.
template <class T>
class ScoreRules {
 public:
  ScoreRules(const AttentionBaseOp& op, const KernelArguments& arguments, const AttentionGeometry& geometry)
      : attention_(op.attention), geometry_(geometry), first_sample_(arguments.first_sample) {
    const AttentionOperands position = op.operands();
    const auto input = [&](int i) -> const TensorView& { return arguments.inputs[static_cast<std::size_t>(i)]; };
    if (position.bias >= 0) bias_ = BroadcastScores<T>(input(position.bias));
    if (position.mask >= 0) mask_ = BroadcastScores<bool>(input(position.mask));
    if (position.draw >= 0) draw_ = static_cast<std::uint64_t>(*input(position.draw).template as<const std::int64_t>());
    drops_ = position.draw >= 0 && op.attention.dropout.rate > 0;
  }

  bool drops() const { return drops_; }
  bool is_limited() const { return attention_.soft_cap != 0; }

  /// The number of keys of the block that begins with `first_key`, without those at its end that none of the queries
  /// first … first + count - 1 may use.
  std::int64_t visible_keys(std::int64_t sample, std::int64_t head, std::int64_t first, std::int64_t count,
                            std::int64_t first_key) const {
    std::int64_t keys = std::min(key_block, geometry_.keys - first_key);
    if (attention_.is_causal) keys = std::clamp<std::int64_t>(first + count - first_key, 0, keys);
    if (!mask_.is_present()) return keys;
    std::int64_t visible = 0;
    for (std::int64_t row = 0; row < count && visible < keys; ++row) {
      const bool* const mask = mask_.row(sample, head, first + row);
      if (mask_.stride() == 0) {
        if (mask[0]) return keys;
      } else {
        visible = end_of_visible(mask + first_key, visible, keys);
      }
      if (mask_.has_one_row()) break;
    }
    return visible;
  }

  /// scores[0 … count) of keys from `first_key` on become limited ones, plus bias; those of hidden keys and those up to
  /// the next whole register are hidden. `slopes` receives the derivative of the limit, if it is not null.
  void apply(T* scores, std::int64_t sample, std::int64_t head, std::int64_t query, std::int64_t first_key,
             std::int64_t count, T* slopes = nullptr) const {
    const std::int64_t whole = whole_registers<T>(count);
    if (is_limited()) limit(scores, whole, slopes);
    if (bias_.is_present()) {
      const T* const bias = bias_.row(sample, head, query);
      if (bias_.stride() == 0) {
        for (std::int64_t i = 0; i < count; ++i) scores[i] += bias[0];
      } else {
        for (std::int64_t i = 0; i < count; ++i) scores[i] += bias[first_key + i];
      }
    }
    std::int64_t visible = count;
    if (attention_.is_causal) visible = std::clamp<std::int64_t>(query + 1 - first_key, 0, count);
    if (mask_.is_present()) {
      const bool* const mask = mask_.row(sample, head, query);
      if (mask_.stride() == 0) {
        if (!mask[0]) visible = 0;
      } else {
        for (std::int64_t i = 0; i < visible; ++i) scores[i] = mask[first_key + i] ? scores[i] : hidden_score<T>;
      }
    }
    std::fill(scores + visible, scores + whole, hidden_score<T>);
  }

  /// The factors of dropout for keys from `first_key` on.
  void draw_factors(T* factors, std::int64_t sample, std::int64_t head, std::int64_t query, std::int64_t first_key,
                    std::int64_t count) const {
    const std::int64_t sample_of_batch = first_sample_ + attention_.dropout.first_sample + sample;
    const std::int64_t row = (sample_of_batch * geometry_.heads + head) * geometry_.queries + query;
    draw_uniform<T>(attention_.dropout.key, draw_, static_cast<std::uint64_t>(row * geometry_.keys + first_key),
                    static_cast<std::uint64_t>(count), factors);
    const T rate = static_cast<T>(attention_.dropout.rate);
    const T kept = static_cast<T>(1 / (1 - attention_.dropout.rate));
    for (std::int64_t i = 0; i < count; ++i) factors[i] = factors[i] >= rate ? kept : T();
    std::fill(factors + count, factors + whole_registers<T>(count), T());
  }

 private:
  /// One past the last true element of [first, last), `first` if there is none.
  static std::int64_t end_of_visible(const bool* mask, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t step = 32;
    const auto is_hidden = [mask](std::int64_t end) {
      bool any = false;
      for (std::int64_t i = end - step; i < end; ++i) any |= mask[i];
      return !any;
    };
    while (last - first >= step && is_hidden(last)) last -= step;
    while (last > first && !mask[last - 1]) --last;
    return last;
  }

  void limit(T* scores, std::int64_t whole, T* slopes) const {
    const T cap = static_cast<T>(attention_.soft_cap);
    for (std::int64_t i = 0; i < whole; i += vector_length<T>) {
      Vector<T> score;
      load<T>(score, scores + i);
      const Vector<T> share = tanh_of<T>(score / cap);
      store<T>(scores + i, share * cap);
      if (slopes != nullptr) store<T>(slopes + i, T(1) - share * share);
    }
  }

  const AttentionAttributes& attention_;
  const AttentionGeometry& geometry_;
  const std::int64_t first_sample_;
  BroadcastScores<T> bias_;
  BroadcastScores<bool> mask_;
  std::uint64_t draw_ = 0;
  bool drops_ = false;
};

/// row *= factors, for whole registers.
template <class T>
void multiply_row(T* row, const T* factors, std::int64_t count) {
  for (std::int64_t i = 0; i < whole_registers<T>(count); ++i) row[i] *= factors[i];
}

}  // namespace rhyton::cpu
