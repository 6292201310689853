#pragma once

#include <string>

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
};

/// One after the other along an axis; all other lengths are equal.
class Concatenate : public Layer {
 public:
  explicit Concatenate(const ConcatenateOptions& options = {});
  static Concatenate from_config(const io::Json& config);
};

}  // namespace rhyton::layers
