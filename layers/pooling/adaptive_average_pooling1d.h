#pragma once

#include <concepts>

#include <rhyton/layers/pooling/base_adaptive_pooling.h>

namespace rhyton::layers {

using AdaptiveAveragePooling1DOptions = AdaptivePoolingOptions;

/// The means of windows that divide the steps into a given number of parts, as evenly as possible. Windows, shapes and
/// errors are those of AdaptiveMaxPooling1D. See https://keras.io/api/layers/pooling_layers/adaptive_average_pooling1d.
class AdaptiveAveragePooling1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AdaptiveAveragePooling1D";
  using Arguments = AdaptivePoolingArguments<Size1>;

  explicit AdaptiveAveragePooling1D(Size1 output_size, const AdaptiveAveragePooling1DOptions& options = {});
  /// `output_size` must be of integers.
  explicit AdaptiveAveragePooling1D(std::floating_point auto output_size,
                                    const AdaptiveAveragePooling1DOptions& options = {}) = delete;
  static AdaptiveAveragePooling1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
