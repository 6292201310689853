#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.UpSampling3D`.
struct UpSampling3DOptions {
  ByName by_name = ByName();
  /// The factors of depth, height and width.
  Size3 size = {2, 2, 2};
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("size", self.size);
    fields("data_format", self.data_format);
  }
};

/// Repeats each value along the spatial axes: [batch, depth, height, width, channels] -> [batch, depth · size[0],
/// height · size[1], width · size[2], channels], with the channels second for "channels_first". See
/// https://keras.io/api/layers/reshaping_layers/up_sampling3d.
///
/// Throws ValueError in Keras's words for sizes that are not positive, an unknown data format and, when called, for an
/// input of another rank than 5.
class UpSampling3D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "UpSampling3D";
  using Arguments = UpSampling3DOptions;

  explicit UpSampling3D(const UpSampling3DOptions& options = {});
  /// `UpSampling3D(2)`, `UpSampling3D({1, 2, 3})`.
  explicit UpSampling3D(Size3 size, const UpSampling3DOptions& options = {});
  static UpSampling3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
