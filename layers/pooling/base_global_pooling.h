#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.GlobalAveragePooling1D` and `…2D`.
struct GlobalAveragePoolingOptions {
  ByName by_name = ByName();
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// Keeps the reduced axes with length 1.
  bool keepdims = false;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("data_format", self.data_format);
    fields("keepdims", self.keepdims);
  }
};

/// The mean over one spatial axis (GlobalAveragePooling1D) or two.
std::shared_ptr<LayerImpl> make_global_average_pooling(int spatial_axes, const GlobalAveragePoolingOptions& options);

}  // namespace rhyton::layers
