#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/attention/output_shape.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.MultiHeadAttention`.
struct MultiHeadAttentionOptions {
  ByName by_name = ByName();
  /// The size of each head's values, `key_dim` if not given.
  std::optional<std::int64_t> value_dim = std::nullopt;
  /// The fraction of the attention probabilities that is dropped in training.
  double dropout = 0.0;
  bool use_bias = true;
  /// What takes the place of the query's last axis; its own length if not given.
  OutputShape output_shape = {};
  /// The axes of the inputs over which attention goes: all but batch and features if not given.
  std::optional<Axes> attention_axes = std::nullopt;
  /// If given, a query uses only keys fewer positions than that before or behind it.
  std::optional<std::int64_t> sliding_window = std::nullopt;
  /// Both values compute the same. True excludes dropout and attention scores, as in Keras.
  std::optional<bool> flash_attention = std::nullopt;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  /// The penalty on the outputs of each projection, divided by the batch size.
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  /// Whether what the heads compute is multiplied by sigmoid(query · kernel + bias) before the output projection.
  bool use_gate = false;
  std::optional<std::int64_t> seed = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of MultiHeadAttention.
struct MultiHeadAttentionArguments : MultiHeadAttentionOptions {
  std::int64_t num_heads = 0;
  std::int64_t key_dim = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("num_heads", self.num_heads);
    fields.required("key_dim", self.key_dim);
    fields("value_dim", self.value_dim);
    fields("dropout", self.dropout);
    fields("use_bias", self.use_bias);
    // Older versions refuse the names of newer arguments.
    fields.unless_default("use_gate", self.use_gate, false);
    fields("output_shape", self.output_shape);
    fields("attention_axes", self.attention_axes);
    fields.unless_default("sliding_window", self.sliding_window, std::optional<std::int64_t>());
    // Keras reads it and does not write it.
    fields.unless_default("flash_attention", self.flash_attention, self.flash_attention);
    fields("kernel_initializer", self.kernel_initializer);
    fields("bias_initializer", self.bias_initializer);
    fields("kernel_regularizer", self.kernel_regularizer);
    fields("bias_regularizer", self.bias_regularizer);
    fields("activity_regularizer", self.activity_regularizer);
    fields("kernel_constraint", self.kernel_constraint);
    fields("bias_constraint", self.bias_constraint);
    fields.unless_default("seed", self.seed, std::optional<std::int64_t>());
    // Of Keras 2, which built the layer from them.
    fields.ignored("query_shape");
    fields.ignored("key_shape");
    fields.ignored("value_shape");
  }
};

/// Scaled dot-product attention of several heads: the query, key and value are projected for each head, each query gets
/// the mean of the values weighted by softmax(query · key / √key_dim), and the heads are projected to the output.
/// query [batch, queries, features], value and key [batch, keys, features of their own] -> [batch, queries, features].
///
/// Parameters of a call: `query`, `value`, `key` (the value if not given), `query_mask`, `value_mask`, `key_mask`,
/// `attention_mask` (true where a query may use a key, [queries, keys], [batch, queries, keys] or [batch, heads,
/// queries, keys]), `return_attention_scores` (a second output [batch, heads, queries, keys]) and `use_causal_mask`
/// (query i uses keys 0 … i only):
///
/// ```
/// const MultiHeadAttention attention(8, 64, {.dropout = 0.1});
/// y = attention(x, {.args = {x}, .kwargs = {{"use_causal_mask", true}}});
/// ```
///
/// The masks of the tensors are used where none is given. As in Keras, `query_mask` is always that of the query, and a
/// query that may use no key gets the mean of all values, or zeros if there is dropout, or if the scores are returned,
/// or if the inputs have more than three axes. The output has the mask of the query. The scores of all pairs are stored
/// only for `return_attention_scores` and for inputs of more than three axes.
///
/// Sublayers: "query", "key", "gate" with `use_gate`, "value" and "attention_output", each an EinsumDense with kernel
/// and bias. See https://keras.io/api/layers/attention_layers/multi_head_attention.
///
/// Throws ValueError in Keras's words for numbers that are not positive, for dropout or scores with flash attention,
/// and when built, for a dropout outside [0, 1] and for lengths of value and key that differ.
class MultiHeadAttention : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "MultiHeadAttention";
  using Arguments = MultiHeadAttentionArguments;

  MultiHeadAttention(std::int64_t num_heads, std::int64_t key_dim, const MultiHeadAttentionOptions& options = {});
  /// The handle of a MultiHeadAttention, as of one in `model.layers()`. Throws TypeError for a layer of another class.
  static MultiHeadAttention from_layer(const Layer& layer);
  static MultiHeadAttention from_config(const io::Json& config);

  /// Creates the weights for tensors of these shapes (batch axis -1); the key has the value's shape if not given.
  /// Throws the ValueErrors of a call.
  void build(const Shape& query_shape, const Shape& value_shape,
             const std::optional<Shape>& key_shape = std::nullopt) const;

  /// The projections, as in `attention.query_dense().enable_lora(4)`. Throw ValueError before the layer is built.
  LoraLayer query_dense() const;
  LoraLayer key_dense() const;
  LoraLayer value_dense() const;
  LoraLayer output_dense() const;

 private:
  explicit MultiHeadAttention(const Layer& layer) : Layer(layer) {}
};

}  // namespace rhyton::layers
