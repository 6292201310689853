#pragma once

#include <concepts>

#include <rhyton/layers/pooling/base_adaptive_pooling.h>

namespace rhyton::layers {

using AdaptiveAveragePooling3DOptions = AdaptivePoolingOptions;

/// The means of windows that divide depth, height and width into a given number of parts, as evenly as possible.
/// Windows, shapes and errors are those of AdaptiveMaxPooling3D. See
/// https://keras.io/api/layers/pooling_layers/adaptive_average_pooling3d.
class AdaptiveAveragePooling3D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AdaptiveAveragePooling3D";
  using Arguments = AdaptivePoolingArguments<Size3>;

  explicit AdaptiveAveragePooling3D(Size3 output_size, const AdaptiveAveragePooling3DOptions& options = {});
  /// `output_size` must be of integers.
  explicit AdaptiveAveragePooling3D(std::floating_point auto output_size,
                                    const AdaptiveAveragePooling3DOptions& options = {}) = delete;
  static AdaptiveAveragePooling3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
