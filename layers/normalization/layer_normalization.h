#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/constraints.h>
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
  Constraint beta_constraint = {};
  Constraint gamma_constraint = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis);
    fields("epsilon", self.epsilon);
    fields("center", self.center);
    fields("scale", self.scale);
    fields("beta_initializer", self.beta_initializer);
    fields("gamma_initializer", self.gamma_initializer);
    fields("beta_regularizer", self.beta_regularizer);
    fields("gamma_regularizer", self.gamma_regularizer);
    fields("beta_constraint", self.beta_constraint);
    fields("gamma_constraint", self.gamma_constraint);
    fields.ignored("rms_scaling", false);
  }
};

/// (x - mean) / √(variance + epsilon) · gamma + beta, with mean and biased variance along the axes of each sample.
/// Shapes are unchanged. Weights: gamma, beta, with the lengths of these axes. See
/// https://keras.io/api/layers/normalization_layers/layer_normalization.
///
/// When called, throws ValueError for an axis out of range.
class LayerNormalization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "LayerNormalization";
  using Arguments = LayerNormalizationOptions;

  explicit LayerNormalization(const LayerNormalizationOptions& options = {});
  static LayerNormalization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
