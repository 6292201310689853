#pragma once

#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.PReLU`.
struct PReLUOptions {
  ByName by_name = ByName();
  Initializer alpha_initializer = "zeros";
  Regularizer alpha_regularizer = {};
  Constraint alpha_constraint = {};
  /// The axes, counted from the batch as 0, along which all elements have the same slope.
  std::optional<Axes> shared_axes = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("alpha_initializer", self.alpha_initializer);
    fields("alpha_regularizer", self.alpha_regularizer);
    fields("alpha_constraint", self.alpha_constraint);
    fields("shared_axes", self.shared_axes);
  }
};

/// x where x > 0, else alpha · x, with a trained slope for each element of a sample. Weights: alpha, of the input's
/// shape without the batch, with length 1 on shared axes. See https://keras.io/api/layers/activation_layers/prelu.
///
/// Throws ValueError, when built, for a shared axis out of range, and for an axis of unknown length that is not shared.
class PReLU : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "PReLU";
  using Arguments = PReLUOptions;

  explicit PReLU(const PReLUOptions& options = {});
  static PReLU from_config(const io::Json& config);
};

}  // namespace rhyton::layers
