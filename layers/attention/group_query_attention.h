#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.GroupQueryAttention`.
struct GroupQueryAttentionOptions {
  ByName by_name = ByName();
  /// The fraction of the attention probabilities that is dropped in training.
  double dropout = 0.0;
  bool use_bias = true;
  /// If given, a query uses only keys fewer positions than that before or behind it.
  std::optional<std::int64_t> sliding_window = std::nullopt;
  /// Both values compute the same. True excludes dropout and attention scores, as in Keras.
  std::optional<bool> flash_attention = std::nullopt;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  /// The penalty on the outputs of each projection and of the layer, divided by the batch size.
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

/// All arguments of GroupQueryAttention.
struct GroupQueryAttentionArguments : GroupQueryAttentionOptions {
  std::int64_t head_dim = 0;
  std::int64_t num_query_heads = 0;
  std::int64_t num_key_value_heads = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("head_dim", self.head_dim);
    fields.required("num_query_heads", self.num_query_heads);
    fields.required("num_key_value_heads", self.num_key_value_heads);
    fields("use_bias", self.use_bias);
    // Older versions refuse the names of newer arguments.
    fields.unless_default("use_gate", self.use_gate, false);
    fields.unless_default("sliding_window", self.sliding_window, std::optional<std::int64_t>());
    // Keras reads it and does not write it.
    fields.unless_default("flash_attention", self.flash_attention, self.flash_attention);
    fields("dropout", self.dropout);
    fields("kernel_initializer", self.kernel_initializer);
    fields("bias_initializer", self.bias_initializer);
    fields("kernel_regularizer", self.kernel_regularizer);
    fields("bias_regularizer", self.bias_regularizer);
    fields("activity_regularizer", self.activity_regularizer);
    fields("kernel_constraint", self.kernel_constraint);
    fields("bias_constraint", self.bias_constraint);
    fields.unless_default("seed", self.seed, std::optional<std::int64_t>());
  }
};

/// MultiHeadAttention with fewer heads of keys and values than of queries: each serves num_query_heads /
/// num_key_value_heads consecutive ones. query [batch, queries, features], value and key [batch, keys, features] ->
/// [batch, queries, features]. The parameters of a call and the masks are those of MultiHeadAttention, but a
/// `query_mask` that is given is used. See https://keras.io/api/layers/attention_layers/group_query_attention.
///
/// Throws ValueError in Keras's words for heads that do not divide, for a window that is not positive, for dropout or
/// scores with flash attention; when called, for lengths that do not fit.
class GroupQueryAttention : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GroupQueryAttention";
  /// That in Keras's source, by which legacy files and automatic names call it.
  static constexpr const char* source_name = "GroupedQueryAttention";
  using Arguments = GroupQueryAttentionArguments;

  GroupQueryAttention(std::int64_t head_dim, std::int64_t num_query_heads, std::int64_t num_key_value_heads,
                      const GroupQueryAttentionOptions& options = {});
  static GroupQueryAttention from_config(const io::Json& config);

  /// Creates the weights for tensors of these shapes (batch axis -1); the key has the value's shape if not given.
  /// Throws the ValueErrors of a call.
  void build(const Shape& query_shape, const Shape& value_shape,
             const std::optional<Shape>& key_shape = std::nullopt) const;
};

}  // namespace rhyton::layers
