#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.SpatialDropout3D`.
struct SpatialDropout3DOptions {
  ByName by_name = ByName();
  /// "channels_last", "channels_first", or empty for `config::image_data_format()`.
  std::string data_format = {};
  std::optional<std::int64_t> seed = std::nullopt;
  std::string name = {};
  std::string dtype = {};
};

/// All arguments of SpatialDropout3D.
struct SpatialDropout3DArguments : SpatialDropout3DOptions {
  double rate = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("rate", self.rate);
    fields("seed", self.seed);
    fields("data_format", self.data_format);
    // Keras 3 does not have them.
    fields.ignored("trainable");
    fields.ignored("noise_shape", nullptr);
  }
};

/// Dropout of whole channels: in training, sets a fraction `rate` of the channels of each sample to 0, different ones
/// at each call, and multiplies the rest by 1 / (1 - rate). Inputs: [batch, depth, height, width, channels], or [batch,
/// channels, depth, height, width] for "channels_first". See
/// https://keras.io/api/layers/regularization_layers/spatial_dropout3d.
///
/// Throws ValueError for a rate outside [0, 1] and an unknown data format and, when called, for an input of another
/// rank.
class SpatialDropout3D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "SpatialDropout3D";
  using Arguments = SpatialDropout3DArguments;

  explicit SpatialDropout3D(double rate, const SpatialDropout3DOptions& options = {});
  static SpatialDropout3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
