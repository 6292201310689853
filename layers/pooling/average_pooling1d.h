#pragma once

#include <rhyton/layers/pooling/base_pooling.h>

namespace rhyton::layers {

using AveragePooling1DOptions = PoolingOptions<Size1>;

/// The mean of each window and channel; with "same" padding only over elements of the sequence. Shapes and errors as in
/// MaxPooling1D. See https://keras.io/api/layers/pooling_layers/average_pooling1d.
class AveragePooling1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AveragePooling1D";
  using Arguments = AveragePooling1DOptions;

  explicit AveragePooling1D(const AveragePooling1DOptions& options = {});
  explicit AveragePooling1D(Size1 pool_size, const AveragePooling1DOptions& options = {});
  static AveragePooling1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
