#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::applications {

/// The arguments that all models of `keras.applications` have. Fields in the order of `keras.applications.ResNet50`.
struct ApplicationOptions {
  ByName by_name = ByName();
  /// Whether the model ends with the layers that classify; otherwise it computes features.
  bool include_top = true;
  /// "imagenet", the path of a file with weights, or `std::nullopt` for random initialization.
  std::optional<std::string> weights = "imagenet";
  /// The tensor to use as the image, if it is not a new Input.
  layers::SymbolicTensor input_tensor = {};
  /// Without the batch axis, -1 for an unknown length. Not given: the default size of the model, or images of any size
  /// without the top.
  layers::SampleShape input_shape = {};
  /// Without the top: "avg" or "max" for features of rank 2, empty for those of the last convolution.
  std::string pooling = {};
  /// The number of classes of the top.
  std::int64_t classes = 1000;
  /// The activation of the top; "linear" for logits.
  layers::ActivationFunction classifier_activation = "softmax";
  /// The name that the model has in Keras if empty.
  std::string name = {};
};

}  // namespace rhyton::applications
