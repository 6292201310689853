#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

struct RepeatVectorOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of RepeatVector.
struct RepeatVectorArguments : RepeatVectorOptions {
  std::int64_t n = 1;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("n", self.n);
  }
};

/// Repeats each sample `n` times: [batch, features] -> [batch, n, features]. See
/// https://keras.io/api/layers/reshaping_layers/repeat_vector.
///
/// Throws ValueError for `n` below 1 and, when called, for an input of another rank than 2.
class RepeatVector : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RepeatVector";
  using Arguments = RepeatVectorArguments;

  explicit RepeatVector(std::int64_t n, const RepeatVectorOptions& options = {});
  /// `n` must be an integer.
  explicit RepeatVector(std::floating_point auto n, const RepeatVectorOptions& options = {}) = delete;
  static RepeatVector from_config(const io::Json& config);
};

}  // namespace rhyton::layers
