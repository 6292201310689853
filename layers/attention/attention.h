#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Attention`.
struct AttentionOptions {
  ByName by_name = ByName();
  /// Whether the scores are multiplied by a trained number.
  bool use_scale = false;
  /// "dot": query · key; "concat": the sum of tanh(query + key) times a trained number.
  std::string score_mode = "dot";
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
    fields("score_mode", self.score_mode);
    fields("dropout", self.dropout);
    fields("seed", self.seed);
  }
};

/// Dot-product attention (Luong): softmax(query · keyᵀ) · value. Called on a list [query, value] or [query, value,
/// key]: query [batch, queries, size], value [batch, keys, value size], key [batch, keys, size], the value if not
/// given, -> [batch, queries, value size].
///
/// Parameters of a call: `inputs`, `mask` (a list of the masks of query and value, [batch, queries] and [batch, keys],
/// or None), `return_attention_scores` (a second output [batch, queries, keys]) and `use_causal_mask` (query i uses
/// keys 0 … i only). Outputs of masked queries are 0. The scores of masked keys are lowered by 1e9 (65504
/// in float16), as in Keras: for a query that may use no key the differences that rounding leaves decide. The output
/// has the mask of the query. Weights: scale [] with `use_scale`, concat_score_weight [] with "concat". See
/// https://keras.io/api/layers/attention_layers/attention.
///
/// Throws ValueError in Keras's words for an unknown score mode and, when called, for another number of inputs or
/// masks.
class Attention : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Attention";
  using Arguments = AttentionOptions;

  explicit Attention(const AttentionOptions& options = {});
  static Attention from_config(const io::Json& config);
};

}  // namespace rhyton::layers
