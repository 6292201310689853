#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Concatenate`.
struct ConcatenateOptions {
  ByName by_name = ByName();
  int axis = -1;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis);
  }
};

/// One after the other along an axis; all other lengths are equal.
class Concatenate : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Concatenate";
  using Arguments = ConcatenateOptions;

  explicit Concatenate(const ConcatenateOptions& options = {});
  static Concatenate from_config(const io::Json& config);
};

/// `Concatenate(options)(inputs)`.
SymbolicTensor concatenate(const std::vector<SymbolicTensor>& inputs, const ConcatenateOptions& options = {});
Tensor concatenate(const std::vector<Tensor>& inputs, const ConcatenateOptions& options = {});

}  // namespace rhyton::layers
