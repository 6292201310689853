#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.GlobalAveragePooling2D` and its like.
struct GlobalPoolingOptions {
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

/// The layer of this class: the mean over one to three spatial axes. Over one, it takes a mask.
std::shared_ptr<LayerImpl> make_global_average_pooling(const std::string& class_name, int spatial_axes,
                                                       const GlobalPoolingOptions& options);
/// The largest value over them.
std::shared_ptr<LayerImpl> make_global_max_pooling(const std::string& class_name, int spatial_axes,
                                                   const GlobalPoolingOptions& options);

}  // namespace rhyton::layers
