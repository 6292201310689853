#pragma once

#include <rhyton/layers/pooling/base_pooling.h>

namespace rhyton::layers {

using AveragePooling2DOptions = PoolingOptions<Size2>;

/// The mean of each window and channel; with "same" padding only over elements of the image. Shapes and errors as in
/// MaxPooling2D. See https://keras.io/api/layers/pooling_layers/average_pooling2d.
class AveragePooling2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AveragePooling2D";
  using Arguments = AveragePooling2DOptions;

  explicit AveragePooling2D(const AveragePooling2DOptions& options = {});
  explicit AveragePooling2D(Size2 pool_size, const AveragePooling2DOptions& options = {});
  static AveragePooling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
