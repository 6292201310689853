#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/ops/window_pooling.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

// What the layers that pool windows have in common. `Size` is Size1, Size2 or Size3.

namespace rhyton::layers {

/// Fields in the order of `keras.layers.MaxPooling2D` and `AveragePooling2D`.
template <class Size>
struct PoolingOptions {
  ByName by_name = ByName();
  Size pool_size = 2;
  /// The pool size if not given.
  Size strides = {};
  /// "valid" or "same".
  std::string padding = "valid";
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("pool_size", self.pool_size);
    fields("padding", self.padding);
    fields("strides", self.strides);
    fields("data_format", self.data_format);
  }
};

/// The layer of this class, which reduces each window by `pool`.
template <class Size>
std::shared_ptr<LayerImpl> make_pooling(const std::string& class_name, PoolFunction pool,
                                        const PoolingOptions<Size>& options);

extern template std::shared_ptr<LayerImpl> make_pooling(const std::string& class_name, PoolFunction pool,
                                                        const PoolingOptions<Size1>& options);
extern template std::shared_ptr<LayerImpl> make_pooling(const std::string& class_name, PoolFunction pool,
                                                        const PoolingOptions<Size2>& options);
extern template std::shared_ptr<LayerImpl> make_pooling(const std::string& class_name, PoolFunction pool,
                                                        const PoolingOptions<Size3>& options);

/// The options with this pool size.
template <class Size>
PoolingOptions<Size> with_pool_size(PoolingOptions<Size> options, const Size& pool_size) {
  options.pool_size = pool_size;
  return options;
}

}  // namespace rhyton::layers
