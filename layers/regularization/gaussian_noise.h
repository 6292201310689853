#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.GaussianNoise`.
struct GaussianNoiseOptions {
  ByName by_name = ByName();
  std::optional<std::int64_t> seed = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of GaussianNoise.
struct GaussianNoiseArguments : GaussianNoiseOptions {
  double stddev = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("stddev", self.stddev);
    fields("seed", self.seed);
  }
};

/// During training, adds numbers of the normal distribution with mean 0 and deviation `stddev`, other ones at each
/// call; otherwise returns its input. See https://keras.io/api/layers/regularization_layers/gaussian_noise.
///
/// Throws ValueError for a deviation outside [0, 1].
class GaussianNoise : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GaussianNoise";
  using Arguments = GaussianNoiseArguments;

  explicit GaussianNoise(double stddev, const GaussianNoiseOptions& options = {});
  static GaussianNoise from_config(const io::Json& config);
};

}  // namespace rhyton::layers
