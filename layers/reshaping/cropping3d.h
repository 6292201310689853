#pragma once

#include <rhyton/layers/reshaping/base_cropping.h>

namespace rhyton::layers {

/// The input without its edges: [batch, depth, height, width, channels] -> [batch, depth', height', width', channels],
/// with the channels second for "channels_first". See https://keras.io/api/layers/reshaping_layers/cropping3d.
///
/// Throws ValueError in Keras's words for a negative cropping, an unknown data format and, when called, for an input of
/// another rank than 5 or of which nothing is left.
class Cropping3D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Cropping3D";
  using Arguments = Cropping3DOptions;

  explicit Cropping3D(const Cropping3DOptions& options = {});
  /// `Cropping3D(1)`, `Cropping3D({1, 2, 3})`, `Cropping3D({{1, 2}, {3, 4}, {5, 6}})`.
  explicit Cropping3D(const Margins3& cropping, const Cropping3DOptions& options = {});
  static Cropping3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
