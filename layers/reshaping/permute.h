#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

struct PermuteOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of Permute.
struct PermuteArguments : PermuteOptions {
  std::vector<int> dims = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("dims", self.dims);
  }
};

/// The axes of each sample in another order: axis i of the result is axis `dims[i - 1]` of the input, both counted from
/// 1, so that 0 is the batch. See https://keras.io/api/layers/reshaping_layers/permute.
///
/// Throws ValueError in Keras's words unless `dims` are the numbers from 1 to their count and, when called, for an
/// input of another rank.
class Permute : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Permute";
  using Arguments = PermuteArguments;

  explicit Permute(const std::vector<int>& dims, const PermuteOptions& options = {});
  static Permute from_config(const io::Json& config);
};

}  // namespace rhyton::layers
