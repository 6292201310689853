#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.UpSampling2D`.
struct UpSampling2DOptions {
  ByName by_name = ByName();
  /// The factors of height and width.
  Size2 size = {2, 2};
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// "nearest", "bilinear", "bicubic", "lanczos3", "lanczos5" or "area", which is the same as "nearest".
  std::string interpolation = "nearest";
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("size", self.size);
    fields("data_format", self.data_format);
    fields("interpolation", self.interpolation);
  }
};

/// Enlarges images: [batch, height, width, channels] -> [batch, height · size[0], width · size[1], channels], with the
/// channels second for "channels_first". Interpolations compute in float32, whatever the dtype, and are those of
/// `tf.image.resize` without antialiasing; integers are rounded and limited to the range of their dtype. See
/// https://keras.io/api/layers/reshaping_layers/up_sampling2d.
///
/// Throws ValueError in Keras's words for sizes that are not positive and unknown names; when called, for an input of
/// another rank than 4 and for the interpolation of empty images.
class UpSampling2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "UpSampling2D";
  using Arguments = UpSampling2DOptions;

  explicit UpSampling2D(const UpSampling2DOptions& options = {});
  /// `UpSampling2D(2)`, `UpSampling2D({2, 3})`.
  explicit UpSampling2D(Size2 size, const UpSampling2DOptions& options = {});
  static UpSampling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
