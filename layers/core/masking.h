#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Masking`.
struct MaskingOptions {
  ByName by_name = ByName();
  double mask_value = 0.0;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("mask_value", self.mask_value);
  }
};

/// Masks the steps of a sequence all of whose features equal `mask_value`: [batch, steps, features] -> the same, with 0
/// in these steps and a mask, [batch, steps], for the layers that follow. See
/// https://keras.io/api/layers/core_layers/masking.
class Masking : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Masking";
  using Arguments = MaskingOptions;

  explicit Masking(const MaskingOptions& options = {});
  static Masking from_config(const io::Json& config);
};

}  // namespace rhyton::layers
