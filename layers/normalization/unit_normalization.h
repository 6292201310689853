#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.UnitNormalization`.
struct UnitNormalizationOptions {
  ByName by_name = ByName();
  /// The axes that are normalized together: `-1`, or `{1, 2}`.
  Axes axis = -1;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis);
  }
};

/// x / max(‖x‖, 1e-12) with the Euclidean norm along the axes. Shapes are unchanged. As in Keras it is computed in the
/// compute dtype: in float16 the squares of numbers above 255 overflow, and such rows become 0. See
/// https://keras.io/api/layers/normalization_layers/unit_normalization.
///
/// When called, throws ValueError in Keras's words for an axis out of range.
class UnitNormalization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "UnitNormalization";
  using Arguments = UnitNormalizationOptions;

  explicit UnitNormalization(const UnitNormalizationOptions& options = {});
  static UnitNormalization from_config(const io::Json& config);
};

}  // namespace rhyton::layers
