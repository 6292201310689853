#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/quantizers.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Embedding`.
struct EmbeddingOptions {
  ByName by_name = ByName();
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = {};
  Constraint embeddings_constraint = {};
  /// Whether the integer 0 stands for a step that does not count: the output has the mask "not equal to 0".
  bool mask_zero = false;
  Regularizer activity_regularizer = {};
  /// If given, LoRA is enabled with this rank when the layer is built, as by `enable_lora`.
  std::optional<std::int64_t> lora_rank = std::nullopt;
  /// See LoraOptions.
  std::optional<double> lora_alpha = std::nullopt;
  /// The quantizers of a quantized layer; see `Layer::quantize`.
  quantizers::QuantizationConfig quantization_config = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of Embedding.
struct EmbeddingArguments : EmbeddingOptions {
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
    fields.ignored("input_length");  // Keras 2
    fields.unless_default("quantization_config", self.quantization_config, quantizers::QuantizationConfig());
    fields.unless_default("lora_rank", self.lora_rank, std::optional<std::int64_t>());
    fields.unless_default("lora_alpha", self.lora_alpha, std::optional<double>());
  }
};

/// Looks up a row of a table for each integer: [...] -> [..., output_dim]. Weight: embeddings [input_dim, output_dim];
/// with LoRA also lora_embeddings_a [input_dim, rank] and lora_embeddings_b [rank, output_dim];
/// quantized also embeddings_scale [input_dim].
/// See https://keras.io/api/layers/core_layers/embedding; for its gradients CompileOptions::sparse_embedding_gradients.
///
/// Throws ValueError for numbers below 1 and, when called, InvalidArgumentError for an integer outside [0, input_dim).
class Embedding : public LoraLayer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Embedding";
  using Arguments = EmbeddingArguments;

  Embedding(std::int64_t input_dim, std::int64_t output_dim, const EmbeddingOptions& options = {});
  static Embedding from_config(const io::Json& config);
};

}  // namespace rhyton::layers
