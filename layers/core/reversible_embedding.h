#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.ReversibleEmbedding`.
struct ReversibleEmbeddingOptions {
  ByName by_name = ByName();
  /// Whether the projection back has the transposed embeddings as its weights, or some of its own.
  bool tie_weights = true;
  /// Also of the weights of the projection back.
  Initializer embeddings_initializer = "uniform";
  /// Of the embeddings alone, as the constraint.
  Regularizer embeddings_regularizer = {};
  Constraint embeddings_constraint = {};
  /// Whether the integer 0 stands for a step that does not count: the output has the mask "not equal to 0".
  bool mask_zero = false;
  /// The dtype of the projection back, "float32"; that of its inputs and weights if it is not given.
  std::optional<std::string> reverse_dtype = std::nullopt;
  /// If given, the results of the projection back are limited: cap · tanh(x / cap).
  std::optional<double> logit_soft_cap = std::nullopt;
  Regularizer activity_regularizer = {};
  /// If given, LoRA is enabled with this rank when the layer is built, as by `enable_lora`.
  std::optional<std::int64_t> lora_rank = std::nullopt;
  /// See LoraOptions.
  std::optional<double> lora_alpha = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of ReversibleEmbedding.
struct ReversibleEmbeddingArguments : ReversibleEmbeddingOptions {
  std::int64_t input_dim = 0;
  std::int64_t output_dim = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("input_dim", self.input_dim);
    fields.required("output_dim", self.output_dim);
    fields("embeddings_initializer", self.embeddings_initializer);
    fields("embeddings_regularizer", self.embeddings_regularizer);
    fields("activity_regularizer", self.activity_regularizer);
    fields("embeddings_constraint", self.embeddings_constraint);
    fields("mask_zero", self.mask_zero);
    fields("tie_weights", self.tie_weights);
    fields("reverse_dtype", self.reverse_dtype);
    fields("logit_soft_cap", self.logit_soft_cap);
    fields.unless_default("lora_rank", self.lora_rank, std::optional<std::int64_t>());
    fields.unless_default("lora_alpha", self.lora_alpha, std::optional<double>());
  }
};

/// An Embedding that also projects its outputs back to numbers for each integer, as language models need it:
///
///     const ReversibleEmbedding words(1000, 64);
///     const SymbolicTensor x = words(tokens);                                   // [...] -> [..., output_dim]
///     const SymbolicTensor logits = words(y, {.kwargs = {{"reverse", true}}});  // and back: [..., input_dim]
///
/// Weights: embeddings [input_dim, output_dim] and, unless `tie_weights`, reverse_embeddings [output_dim, input_dim].
/// As in Keras, the mask of `mask_zero` is no part of a functional model: it reaches the layers behind when the model
/// runs. The projection back computes in the dtype that its inputs and the weights have together, where weights are in
/// the compute dtype, but within a model of a mixed policy in float32. See
/// https://keras.io/api/layers/core_layers/reversible_embedding.
///
/// Throws ValueError for numbers below 1 and an unknown `reverse_dtype`. When called: InvalidArgumentError for an
/// integer outside [0, input_dim), ValueError for inputs of another width than output_dim with `reverse`.
class ReversibleEmbedding : public LoraLayer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ReversibleEmbedding";
  using Arguments = ReversibleEmbeddingArguments;

  ReversibleEmbedding(std::int64_t input_dim, std::int64_t output_dim, const ReversibleEmbeddingOptions& options = {});
  static ReversibleEmbedding from_config(const io::Json& config);
};

}  // namespace rhyton::layers
