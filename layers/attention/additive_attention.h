#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.AdditiveAttention`.
struct AdditiveAttentionOptions {
  ByName by_name = ByName();
  /// Whether the terms of the scores are multiplied by trained numbers.
  bool use_scale = true;
  /// The fraction of the attention probabilities that is dropped in training.
  double dropout = 0.0;
  std::optional<std::int64_t> seed = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
  /// The penalty on the outputs, divided by the batch size.
  Regularizer activity_regularizer = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("use_scale", self.use_scale);
    fields("dropout", self.dropout);
    fields("seed", self.seed);
    // Keras accepts it, without effect.
    fields.ignored("score_mode");
  }
};

/// Additive attention (Bahdanau): softmax(Σ scale · tanh(query + key)) · value. Inputs, parameters of a call, masks and
/// outputs are those of Attention, where query, value and key have the same size. Weights: scale [size] with
/// `use_scale`. See https://keras.io/api/layers/attention_layers/additive_attention.
///
/// Throws ValueError in Keras's words, when called, for another number of inputs or masks.
class AdditiveAttention : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AdditiveAttention";
  using Arguments = AdditiveAttentionOptions;

  explicit AdditiveAttention(const AdditiveAttentionOptions& options = {});
  static AdditiveAttention from_config(const io::Json& config);
};

}  // namespace rhyton::layers
