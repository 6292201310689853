#pragma once

#include <rhyton/layers/reshaping/base_cropping.h>

namespace rhyton::layers {

/// The input without its edges: [batch, steps, channels] -> [batch, steps', channels]. See
/// https://keras.io/api/layers/reshaping_layers/cropping1d.
///
/// Throws ValueError in Keras's words for a negative cropping and, when called, for an input of another rank than 3 or
/// of which nothing is left.
class Cropping1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Cropping1D";
  using Arguments = Cropping1DOptions;

  explicit Cropping1D(const Cropping1DOptions& options = {});
  /// `Cropping1D(1)`, `Cropping1D({1, 2})`.
  explicit Cropping1D(const Size2& cropping, const Cropping1DOptions& options = {});
  static Cropping1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
