#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.LayerNormalization`.
struct LayerNormalizationOptions {
  ByName by_name = ByName();
  /// The axes that are normalized together: `-1`, or `{1, 2}`.
  Axes axis = -1;
  double epsilon = 1e-3;
  /// Whether the layer has a beta and a gamma.
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// (x - mean) / √(variance + epsilon) · gamma + beta, with mean and biased variance along the axes of each sample.
/// Shapes are unchanged. Weights: gamma, beta, with the lengths of these axes. See
/// https://keras.io/api/layers/normalization_layers/layer_normalization.
///
/// When called, throws ValueError for an axis out of range.
class LayerNormalization : public Layer {
 public:
  explicit LayerNormalization(const LayerNormalizationOptions& options = {});
  static LayerNormalization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
