#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/core/wrapper.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.SpectralNormalization`.
struct SpectralNormalizationOptions {
  ByName by_name = ByName();
  /// The number of iterations for the largest singular value in each call.
  std::int64_t power_iterations = 1;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
  /// The penalty on the outputs, divided by the batch size.
  Regularizer activity_regularizer = {};
};

/// All arguments of SpectralNormalization.
struct SpectralNormalizationArguments : SpectralNormalizationOptions {
  Layer layer = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("layer", self.layer);
    fields("power_iterations", self.power_iterations);
  }
};

/// Calls the wrapped layer. During training it first divides the layer's weight "kernel", or "embeddings", viewed as a
/// matrix of all but the last axis by the last one, by its largest singular value, which power iterations approach from
/// call to call; a kernel of zeros stays. The result has the dtype of the input. Weights: those of the layer, and
/// vector_u [1, last length], which is not trainable. See
/// https://keras.io/api/layers/normalization_layers/spectral_normalization.
///
/// Throws ValueError in Keras's words for `power_iterations` below 1 and, when called, for a layer without such a
/// weight and for an input with another last length than the first.
class SpectralNormalization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "SpectralNormalization";
  using Arguments = SpectralNormalizationArguments;

  /// To wrap a SpectralNormalization, pass `options` too: else it is copied.
  explicit SpectralNormalization(const Layer& layer, const SpectralNormalizationOptions& options = {});
  static SpectralNormalization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
