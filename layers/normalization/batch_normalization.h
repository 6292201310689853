#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/constraints.h>
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
  Constraint beta_constraint = {};
  Constraint gamma_constraint = {};
  /// Whether mean and variance are taken over the whole batch of all replicas; otherwise each replica uses its own.
  bool synchronized = false;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis);
    fields("momentum", self.momentum);
    fields("epsilon", self.epsilon);
    fields("center", self.center);
    fields("scale", self.scale);
    fields("beta_initializer", self.beta_initializer);
    fields("gamma_initializer", self.gamma_initializer);
    fields("moving_mean_initializer", self.moving_mean_initializer);
    fields("moving_variance_initializer", self.moving_variance_initializer);
    fields("beta_regularizer", self.beta_regularizer);
    fields("gamma_regularizer", self.gamma_regularizer);
    fields("beta_constraint", self.beta_constraint);
    fields("gamma_constraint", self.gamma_constraint);
    fields("synchronized", self.synchronized);
    fields.ignored("renorm", false);  // Keras 2
    fields.ignored("renorm_momentum");
  }
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
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "BatchNormalization";
  using Arguments = BatchNormalizationOptions;

  explicit BatchNormalization(const BatchNormalizationOptions& options = {});
  static BatchNormalization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
