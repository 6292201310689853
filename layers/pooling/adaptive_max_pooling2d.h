#pragma once

#include <concepts>

#include <rhyton/layers/pooling/base_adaptive_pooling.h>

namespace rhyton::layers {

using AdaptiveMaxPooling2DOptions = AdaptivePoolingOptions;

/// The largest values of windows that divide height and width into a given number of parts, as evenly as possible:
/// [batch, height, width, channels] -> [batch, output_size[0], output_size[1], channels], with the channels second in
/// both for "channels_first". Of n elements, window i of m reaches from floor(i · n / m) to ceil((i + 1) · n / m), so
/// that windows can overlap. See https://keras.io/api/layers/pooling_layers/adaptive_max_pooling2d.
///
/// Throws ValueError in Keras's words for unknown names, and for sizes that are not positive; when called, for an input
/// of another rank than 4.
class AdaptiveMaxPooling2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AdaptiveMaxPooling2D";
  using Arguments = AdaptivePoolingArguments<Size2>;

  explicit AdaptiveMaxPooling2D(Size2 output_size, const AdaptiveMaxPooling2DOptions& options = {});
  /// `output_size` must be of integers.
  explicit AdaptiveMaxPooling2D(std::floating_point auto output_size,
                                const AdaptiveMaxPooling2DOptions& options = {}) = delete;
  static AdaptiveMaxPooling2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
