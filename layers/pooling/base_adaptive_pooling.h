#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/ops/window_pooling.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

// What the layers that pool to a given size have in common. `Size` is Size1, Size2 or Size3.

namespace rhyton::layers {

/// Fields in the order of `keras.layers.AdaptiveAveragePooling2D` and its like.
struct AdaptivePoolingOptions {
  ByName by_name = ByName();
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of such a layer.
template <class Size>
struct AdaptivePoolingArguments : AdaptivePoolingOptions {
  Size output_size = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("output_size", self.output_size);
    fields("data_format", self.data_format);
  }
};

/// The layer of this class, which reduces each window by `pool`.
template <class Size>
std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                 const AdaptivePoolingArguments<Size>& arguments);

extern template std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                                 const AdaptivePoolingArguments<Size1>& arguments);
extern template std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                                 const AdaptivePoolingArguments<Size2>& arguments);
extern template std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                                 const AdaptivePoolingArguments<Size3>& arguments);

}  // namespace rhyton::layers
