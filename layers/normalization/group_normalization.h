#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.GroupNormalization`.
struct GroupNormalizationOptions {
  ByName by_name = ByName();
  /// The number of groups of channels; -1: one group per channel.
  std::int64_t groups = 32;
  /// The channel axis.
  int axis = -1;
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
    fields("groups", self.groups);
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
  }
};

/// Divides the channels of each sample into groups of neighbours: (x - mean) / √(variance + epsilon) · gamma + beta,
/// with mean and biased variance over a group's channels and all other axes but the batch. Shapes are unchanged.
/// Weights: gamma, beta, [channels]. Half types are computed in float32. See
/// https://keras.io/api/layers/normalization_layers/group_normalization.
///
/// Throws ValueError in Keras's words for `groups` of 0 or below -1 and, when called, where the channels are fewer than
/// the groups or not divisible by them, for an axis out of range and for the batch axis.
class GroupNormalization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GroupNormalization";
  using Arguments = GroupNormalizationOptions;

  explicit GroupNormalization(const GroupNormalizationOptions& options = {});
  static GroupNormalization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
