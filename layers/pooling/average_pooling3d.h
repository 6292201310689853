#pragma once

#include <rhyton/layers/pooling/base_pooling.h>

namespace rhyton::layers {

using AveragePooling3DOptions = PoolingOptions<Size3>;

/// The mean of each window and channel; with "same" padding only over elements of the volume. Shapes and errors as in
/// MaxPooling3D. See https://keras.io/api/layers/pooling_layers/average_pooling3d.
class AveragePooling3D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AveragePooling3D";
  using Arguments = AveragePooling3DOptions;

  explicit AveragePooling3D(const AveragePooling3DOptions& options = {});
  explicit AveragePooling3D(Size3 pool_size, const AveragePooling3DOptions& options = {});
  static AveragePooling3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
