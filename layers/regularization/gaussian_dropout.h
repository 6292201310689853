#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.GaussianDropout`.
struct GaussianDropoutOptions {
  ByName by_name = ByName();
  std::optional<std::int64_t> seed = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of GaussianDropout.
struct GaussianDropoutArguments : GaussianDropoutOptions {
  double rate = 0.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("rate", self.rate);
    fields("seed", self.seed);
  }
};

/// During training, multiplies with numbers of the normal distribution with mean 1 and deviation √(rate / (1 - rate)),
/// other ones at each call; otherwise returns its input. See
/// https://keras.io/api/layers/regularization_layers/gaussian_dropout.
///
/// Throws ValueError for a rate outside [0, 1] and, in training, for a rate of 1.
class GaussianDropout : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GaussianDropout";
  using Arguments = GaussianDropoutArguments;

  explicit GaussianDropout(double rate, const GaussianDropoutOptions& options = {});
  static GaussianDropout from_config(const io::Json& config);
};

}  // namespace rhyton::layers
