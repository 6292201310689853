#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RMSNormalization`.
struct RMSNormalizationOptions {
  ByName by_name = ByName();
  /// The axes that are normalized together: `-1`, or `{1, 2}`.
  Axes axis = -1;
  double epsilon = 1e-6;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis);
    fields("epsilon", self.epsilon);
  }
};

/// x / √(mean(x²) + epsilon) · scale, with the mean along the axes. Shapes are unchanged. Weight: scale, with the
/// lengths of these axes; as in Keras it is multiplied by broadcasting, so that it fits where they are the last axes.
/// Half types are computed in float32. See https://keras.io/api/layers/normalization_layers/rms_normalization.
///
/// When called, throws ValueError for an axis out of range.
class RMSNormalization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RMSNormalization";
  using Arguments = RMSNormalizationOptions;

  explicit RMSNormalization(const RMSNormalizationOptions& options = {});
  static RMSNormalization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
