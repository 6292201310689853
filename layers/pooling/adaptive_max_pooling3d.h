#pragma once

#include <concepts>

#include <rhyton/layers/pooling/base_adaptive_pooling.h>

namespace rhyton::layers {

using AdaptiveMaxPooling3DOptions = AdaptivePoolingOptions;

/// The largest values of windows that divide depth, height and width into a given number of parts, as evenly as
/// possible: [batch, depth, height, width, channels] -> [batch, output_size[0], output_size[1], output_size[2],
/// channels], with the channels second in both for "channels_first". Of n elements, window i of m reaches from floor(i
/// · n / m) to ceil((i + 1) · n / m), so that windows can overlap. See
/// https://keras.io/api/layers/pooling_layers/adaptive_max_pooling3d.
///
/// Throws ValueError in Keras's words for unknown names, and for sizes that are not positive; when called, for an input
/// of another rank than 5.
class AdaptiveMaxPooling3D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AdaptiveMaxPooling3D";
  using Arguments = AdaptivePoolingArguments<Size3>;

  explicit AdaptiveMaxPooling3D(Size3 output_size, const AdaptiveMaxPooling3DOptions& options = {});
  /// `output_size` must be of integers.
  explicit AdaptiveMaxPooling3D(std::floating_point auto output_size,
                                const AdaptiveMaxPooling3DOptions& options = {}) = delete;
  static AdaptiveMaxPooling3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
