#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.UpSampling1D`.
struct UpSampling1DOptions {
  ByName by_name = ByName();
  std::int64_t size = 2;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("size", self.size);
  }
};

/// Repeats each step `size` times: [batch, steps, channels] -> [batch, steps · size, channels]. See
/// https://keras.io/api/layers/reshaping_layers/up_sampling1d.
///
/// Throws ValueError in Keras's words for a size below 1 and, when called, for an input of another rank than 3.
class UpSampling1D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "UpSampling1D";
  using Arguments = UpSampling1DOptions;

  explicit UpSampling1D(const UpSampling1DOptions& options = {});
  explicit UpSampling1D(std::int64_t size, const UpSampling1DOptions& options = {});
  /// `size` must be an integer.
  explicit UpSampling1D(std::floating_point auto size, const UpSampling1DOptions& options = {}) = delete;
  static UpSampling1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
