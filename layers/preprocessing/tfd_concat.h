#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of Keras's class.
struct TFDConcatOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of TFDConcat.
struct TFDConcatArguments : TFDConcatOptions {
  int axis = -1;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("axis", self.axis);
  }
};

/// A list of tensors of any dtypes, one after the other along an axis in the compute dtype: the layer with which a
/// FeatureSpace joins its features, by the name that files of Keras have for it.
class TFDConcat : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "TFDConcat";
  static constexpr const char* keras_module = "keras.src.layers.preprocessing.feature_space";
  using Arguments = TFDConcatArguments;

  explicit TFDConcat(int axis, const TFDConcatOptions& options = {});
  static TFDConcat from_config(const io::Json& config);
};

}  // namespace rhyton::layers
