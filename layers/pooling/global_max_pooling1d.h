#pragma once

#include <rhyton/layers/pooling/base_global_pooling.h>

namespace rhyton::layers {

using GlobalMaxPooling1DOptions = GlobalPoolingOptions;

/// The largest value over the steps: [batch, steps, channels] -> [batch, channels]. Equal values share the gradient.
/// See https://keras.io/api/layers/pooling_layers/global_max_pooling1d. Throws ValueError for another rank than 3.
class GlobalMaxPooling1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GlobalMaxPooling1D";
  using Arguments = GlobalMaxPooling1DOptions;

  explicit GlobalMaxPooling1D(const GlobalMaxPooling1DOptions& options = {});
  static GlobalMaxPooling1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
