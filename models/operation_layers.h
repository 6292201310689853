#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/layers/layer.h>

// Keras operations on symbolic tensors for which there is no layer. As layers they have no weights; files contain them
// as Keras writes operations.

namespace rhyton::models {

class OperationImpl : public layers::LayerImpl {
 public:
  explicit OperationImpl(const std::string& name);

  bool autocasts() const override { return false; }
  io::Json get_config() const override;
  io::Json get_build_config() const override { return nullptr; }

  /// Its entry in a configuration besides its name and its call.
  io::Json entry() const;
  /// The arguments of its call in the form of a configuration: the tensors in their places, and any others.
  virtual io::Json arguments(const std::vector<io::Json>& tensors) const = 0;
};

/// A number among the arguments of an operation in a configuration.
Scalar number_of(const io::Json& json);

/// x1 ** x2 for two tensors, which are broadcast by NumPy's rule, or a tensor and a number; `entry` is the entry of a
/// Power with one call. Throws NotImplementedError for other arguments.
layers::Layer power_layer(const io::Json& entry);

/// x[key] for a key of integers, slices with steps of at least 1, `...` and None; `entry` is the entry of a GetItem
/// with one call. Throws NotImplementedError for other keys.
layers::Layer get_item_layer(const io::Json& entry);

}  // namespace rhyton::models
