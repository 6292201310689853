#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.MaxPooling2D` and `AveragePooling2D`.
struct Pooling2DOptions {
  ByName by_name = ByName();
  Size2 pool_size = {2, 2};
  /// The pool size if not given.
  Size2 strides = {};
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

using PoolFunction = Tensor (*)(const Tensor&, const Pool2DAttributes&);

/// The layer of this class, which reduces each window by `pool`.
std::shared_ptr<LayerImpl> make_pooling2d(const std::string& class_name, PoolFunction pool,
                                          const Pooling2DOptions& options);
/// The options with this pool size.
Pooling2DOptions with_pool_size(Pooling2DOptions options, const Size2& pool_size);

}  // namespace rhyton::layers
