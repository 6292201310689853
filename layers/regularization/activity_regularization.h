#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.ActivityRegularization`.
struct ActivityRegularizationOptions {
  ByName by_name = ByName();
  double l1 = 0.0;
  double l2 = 0.0;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("l1", self.l1);
    fields("l2", self.l2);
  }
};

/// Returns its input and adds (l1 · Σ |x| + l2 · Σ x²) / batch size to the loss. See
/// https://keras.io/api/layers/regularization_layers/activity_regularization. Throws ValueError for a factor that is
/// negative or not finite.
class ActivityRegularization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ActivityRegularization";
  using Arguments = ActivityRegularizationOptions;

  explicit ActivityRegularization(const ActivityRegularizationOptions& options = {});
  static ActivityRegularization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
