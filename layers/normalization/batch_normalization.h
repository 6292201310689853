#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.BatchNormalization`.
struct BatchNormalizationOptions {
  ByName by_name = ByName();
  /// The channel axis.
  int axis = -1;
  double momentum = 0.99;
  double epsilon = 1e-3;
  /// Whether the layer has a beta and a gamma.
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Initializer moving_mean_initializer = "zeros";
  Initializer moving_variance_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  /// Whether mean and variance are taken over the whole batch of all replicas; otherwise each replica uses its own.
  bool synchronized = false;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// (x - mean) / √(variance + epsilon) · gamma + beta for each channel. During training, unless the layer is frozen,
/// mean and biased variance are those of the batch, and the moving mean and variance are updated with 1 - momentum;
/// otherwise the moving ones are used. With several replicas (framework/distribute/) the moving ones are updated with
/// the average of all replicas' means and variances, so they stay equal on all replicas. Shapes are unchanged. Weights:
/// gamma, beta, moving_mean, moving_variance, each [channels]. See
/// https://keras.io/api/layers/normalization_layers/batch_normalization.
///
/// When called, throws ValueError for an axis out of range and for a rank or number of channels that differs from the
/// first call.
class BatchNormalization : public Layer {
 public:
  explicit BatchNormalization(const BatchNormalizationOptions& options = {});
  static BatchNormalization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
