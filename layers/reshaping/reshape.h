#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

struct ReshapeOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// Reshapes each sample; one length may be -1, which is inferred. [batch, ...] -> [batch, *target_shape]. See
/// https://keras.io/api/layers/reshaping_layers/reshape.
///
/// Throws ValueError in Keras's words for two lengths of -1 and, when called, if the numbers of elements differ.
class Reshape : public Layer {
 public:
  explicit Reshape(const Shape& target_shape, const ReshapeOptions& options = {});
  static Reshape from_config(const io::Json& config);
};

}  // namespace rhyton::layers
