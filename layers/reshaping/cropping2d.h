#pragma once

#include <rhyton/layers/reshaping/base_cropping.h>

namespace rhyton::layers {

/// The input without its edges: [batch, height, width, channels] -> [batch, height', width', channels], with the
/// channels second for "channels_first". See https://keras.io/api/layers/reshaping_layers/cropping2d.
///
/// Throws ValueError in Keras's words for a negative cropping, an unknown data format and, when called, for an input of
/// another rank than 4 or of which nothing is left.
class Cropping2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Cropping2D";
  using Arguments = Cropping2DOptions;

  explicit Cropping2D(const Cropping2DOptions& options = {});
  /// `Cropping2D(1)`, `Cropping2D({1, 2})`, `Cropping2D({{1, 2}, {3, 4}})`.
  explicit Cropping2D(const Margins2& cropping, const Cropping2DOptions& options = {});
  static Cropping2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
