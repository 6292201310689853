#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Embedding`.
struct EmbeddingOptions {
  ByName by_name = ByName();
  Initializer embeddings_initializer = "uniform";
  Regularizer embeddings_regularizer = {};
  Regularizer activity_regularizer = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// Looks up a row of a table for each integer: [...] -> [..., output_dim]. Weight: embeddings [input_dim, output_dim].
/// See https://keras.io/api/layers/core_layers/embedding.
///
/// Throws ValueError for numbers below 1 and, when called, InvalidArgumentError for an integer outside [0, input_dim).
class Embedding : public Layer {
 public:
  Embedding(std::int64_t input_dim, std::int64_t output_dim, const EmbeddingOptions& options = {});
  static Embedding from_config(const io::Json& config);
};

}  // namespace rhyton::layers
