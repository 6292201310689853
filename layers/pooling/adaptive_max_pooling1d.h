#pragma once

#include <concepts>

#include <rhyton/layers/pooling/base_adaptive_pooling.h>

namespace rhyton::layers {

using AdaptiveMaxPooling1DOptions = AdaptivePoolingOptions;

/// The largest values of windows that divide the steps into a given number of parts, as evenly as possible: [batch,
/// steps, channels] -> [batch, output_size, channels], with the channels second in both for "channels_first". Of n
/// elements, window i of m reaches from floor(i · n / m) to ceil((i + 1) · n / m), so that windows can overlap. See
/// https://keras.io/api/layers/pooling_layers/adaptive_max_pooling1d.
///
/// Throws ValueError in Keras's words for unknown names, and for sizes that are not positive; when called, for an input
/// of another rank than 3.
class AdaptiveMaxPooling1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AdaptiveMaxPooling1D";
  using Arguments = AdaptivePoolingArguments<Size1>;

  explicit AdaptiveMaxPooling1D(Size1 output_size, const AdaptiveMaxPooling1DOptions& options = {});
  /// `output_size` must be of integers.
  explicit AdaptiveMaxPooling1D(std::floating_point auto output_size,
                                const AdaptiveMaxPooling1DOptions& options = {}) = delete;
  static AdaptiveMaxPooling1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
