#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/io/json.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/layers/layer.h>

// Operations of Keras on symbolic tensors that no layer stands for. As layers they have no weights; files keep them as
// Keras writes operations.

namespace rhyton::models {

class OperationImpl : public layers::LayerImpl {
 public:
  explicit OperationImpl(const std::string& name);

  bool autocasts() const override { return false; }
  io::Json get_config() const override;
  io::Json get_build_config() const override { return nullptr; }

  /// What a configuration says of it beside its name and its call.
  io::Json entry() const;
  /// The arguments of its call, as a configuration has them: the tensors in their places, and whatever else there is.
  virtual io::Json arguments(const std::vector<io::Json>& tensors) const = 0;
};

/// A JSON number as operations take it: an integer stays one.
Scalar number_of(const io::Json& number);

/// x1 ** x2 for two tensors, which are broadcast by NumPy's rule, or a tensor and a number; `entry` is that of a Power
/// with one call. Throws NotImplementedError for other arguments.
layers::Layer power_layer(const io::Json& entry);

/// x[key] for a key of integers, slices with steps of at least 1, `...` and None; `entry` is that of a GetItem with one
/// call. Throws NotImplementedError for other keys.
layers::Layer get_item_layer(const io::Json& entry);

}  // namespace rhyton::models
