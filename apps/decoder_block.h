#pragma once

// The block of a Transformer decoder, for characters in training and for one after the other when it writes.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/rhyton.h>

namespace rhyton::apps {

/// Rotates pairs of features by angles in proportion to the position, so that the product of a query and a key depends
/// on their distance (Su et al., https://arxiv.org/abs/2104.09864). x: [batch, steps, heads, size], positions: [steps].
inline Tensor rotate(const Tensor& x, const Tensor& positions) {
  const std::int64_t half = x.shape()[3] / 2;
  const Tensor frequencies = exp(arange(half, float32) * (-std::log(10000.0) / static_cast<double>(half)));
  const Tensor angles = positions.cast(float32).reshape({-1, 1, 1}) * frequencies;
  const std::vector<Tensor> parts = split(x, 2, -1);
  return concatenate({parts[0] * cos(angles) - parts[1] * sin(angles), parts[1] * cos(angles) + parts[0] * sin(angles)},
                     -1);
}

/// Attention of each step to those up to it, and two dense layers, each with a residual connection. With `position`,
/// [1], the input is the step there alone, [1, 1, width]; the keys and values of those before it are in the cache.
class DecoderBlock final : public layers::LayerImpl {
 public:
  DecoderBlock(std::int64_t width, std::int64_t heads, std::int64_t max_steps)
      : LayerImpl({}), width_(width), heads_(heads), max_steps_(max_steps) {}
  std::string class_name() const override { return "DecoderBlock"; }
  std::vector<std::string> call_parameters() const override { return {"inputs", "position"}; }

  void build(const std::vector<Shape>&) override {
    for (Variable* cache : {&keys_, &values_})
      *cache = add_state(Tensor::zeros({1, max_steps_, heads_, width_ / heads_}), "cache");
  }
  std::vector<Tensor> call_with(const layers::BoundArguments& arguments, bool) override {
    const Tensor x = arguments.tensor("inputs");
    const Tensor y = x + attend(norm1_(x), arguments.tensor("position"));
    return {y + contract_(expand_(norm2_(y)))};
  }

 private:
  Tensor attend(const Tensor& x, const Tensor& position) {
    const std::int64_t length = x.shape()[1];
    const std::vector<Tensor> parts = unstack(project_(x).reshape({-1, length, 3, heads_, width_ / heads_}), 2);
    const Tensor positions = position.is_empty() ? arange(length) : position;
    Tensor key = rotate(parts[1], positions);
    Tensor value = parts[2];
    Tensor mask;
    if (!position.is_empty()) {
      const Tensor start = pad(position, {{1, 2}});  // [0, position, 0, 0]
      keys_.assign(key = slice_update(keys_.value(), start, key));
      values_.assign(value = slice_update(values_.value(), start, value));
      mask = arange(max_steps_) <= position;
    }
    const Tensor result = dot_product_attention(rotate(parts[0], positions), key, value,
                                                {.mask = mask, .is_causal = position.is_empty()});
    return combine_(result.reshape({-1, length, width_}));
  }

  std::int64_t width_, heads_, max_steps_;
  layers::LayerNormalization norm1_ = track("norm1", layers::LayerNormalization());
  layers::Dense project_ = track("project", layers::Dense(3 * width_));
  layers::Dense combine_ = track("combine", layers::Dense(width_));
  layers::LayerNormalization norm2_ = track("norm2", layers::LayerNormalization());
  layers::Dense expand_ = track("expand", layers::Dense(4 * width_, {.activation = "gelu"}));
  layers::Dense contract_ = track("contract", layers::Dense(width_));
  Variable keys_, values_;
};

}  // namespace rhyton::apps
