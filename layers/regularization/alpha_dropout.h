#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.AlphaDropout`.
struct AlphaDropoutOptions {
  ByName by_name = ByName();
  /// The shape of the mask, which is broadcast to the input: 1 on axes that are dropped together, -1 for the length of
  /// the input. If not given, the shape of the input.
  std::optional<Shape> noise_shape = std::nullopt;
  std::optional<std::int64_t> seed = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of AlphaDropout.
struct AlphaDropoutArguments : AlphaDropoutOptions {
  double rate = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("rate", self.rate);
    fields("seed", self.seed);
    fields("noise_shape", self.noise_shape);
  }
};

/// During training, sets a fraction `rate` of the elements to the value that SELU has at -∞, different ones at each
/// call, and scales and shifts all so that a mean of 0 and a variance of 1 remain; otherwise returns its input. See
/// https://keras.io/api/layers/regularization_layers/alpha_dropout.
///
/// Throws ValueError for a rate outside [0, 1] and, in training, for a rate of 1.
class AlphaDropout : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "AlphaDropout";
  using Arguments = AlphaDropoutArguments;

  explicit AlphaDropout(double rate, const AlphaDropoutOptions& options = {});
  static AlphaDropout from_config(const io::Json& config);
};

}  // namespace rhyton::layers
