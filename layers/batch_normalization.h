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
  /// The axis of the channels.
  int axis = -1;
  double momentum = 0.99;
  double epsilon = 1e-3;
  /// Whether there is a beta, and a gamma.
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = "zeros";
  Initializer gamma_initializer = "ones";
  Initializer moving_mean_initializer = "zeros";
  Initializer moving_variance_initializer = "ones";
  Regularizer beta_regularizer = {};
  Regularizer gamma_regularizer = {};
  /// Whether mean and variance are those of the whole batch where replicas have parts of it; else of each replica's.
  bool synchronized = false;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// (x - mean) / √(variance + epsilon) · gamma + beta for each channel. While training, unless the layer is frozen, mean
/// and biased variance are the batch's, and the moving ones come a step of 1 - momentum nearer to them; otherwise they
/// are the moving ones. Where replicas run it (framework/distribute/), the moving ones take the mean of all replicas'
/// means and variances, so that they are the same everywhere. Shapes stay as they are. Weights: gamma, beta,
/// moving_mean, moving_variance, each [channels]. See
/// https://keras.io/api/layers/normalization_layers/batch_normalization.
///
/// Throws ValueError when called for an axis out of range and for another rank or number of channels than the first.
class BatchNormalization : public Layer {
 public:
  explicit BatchNormalization(const BatchNormalizationOptions& options = {});
  static BatchNormalization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
