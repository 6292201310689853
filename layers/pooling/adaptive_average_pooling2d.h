#pragma once

#include <concepts>

#include <rhyton/layers/pooling/base_adaptive_pooling.h>

namespace rhyton::layers {

using AdaptiveAveragePooling2DOptions = AdaptivePoolingOptions;

/// The means of windows that divide height and width into a given number of parts, as evenly as possible. Windows,
/// shapes and errors are those of AdaptiveMaxPooling2D. See
/// https://keras.io/api/layers/pooling_layers/adaptive_average_pooling2d.
class AdaptiveAveragePooling2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AdaptiveAveragePooling2D";
  using Arguments = AdaptivePoolingArguments<Size2>;

  explicit AdaptiveAveragePooling2D(Size2 output_size, const AdaptiveAveragePooling2DOptions& options = {});
  /// `output_size` must be of integers.
  explicit AdaptiveAveragePooling2D(std::floating_point auto output_size,
                                    const AdaptiveAveragePooling2DOptions& options = {}) = delete;
  static AdaptiveAveragePooling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
