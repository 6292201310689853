#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/applications/imagenet.h>
#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/model.h>

namespace rhyton::applications {

/// Fields in the order of `keras.applications.MobileNet`; those that `ApplicationOptions` has are described there.
struct MobileNetOptions {
  ByName by_name = ByName();
  layers::SampleShape input_shape = {};
  /// The width: the factor of the numbers of filters.
  double alpha = 1.0;
  /// The number of outputs per channel of depthwise convolutions.
  std::int64_t depth_multiplier = 1;
  /// The rate of the dropout before the classes.
  double dropout = 1e-3;
  bool include_top = true;
  std::optional<std::string> weights = "imagenet";
  layers::SymbolicTensor input_tensor = {};
  std::string pooling = {};
  std::int64_t classes = 1000;
  layers::ActivationFunction classifier_activation = "softmax";
  /// "mobilenet_1.00_224", with width and height, if empty.
  std::string name = {};
};

namespace mobilenet {

/// The network of "MobileNets: Efficient Convolutional Neural Networks for Mobile Vision Applications"
/// (https://arxiv.org/abs/1704.04861): images of 224 × 224, or from 32 × 32 on. See
/// https://keras.io/api/applications/mobilenet.
///
/// Throws ValueError in Keras's words for options that do not fit together, and IOError if the weights "imagenet" are
/// not in Keras's cache and cannot be downloaded.
models::Model MobileNet(const MobileNetOptions& options = {});

/// Prepares images as `imagenet_utils::preprocess_input` in the mode "tf".
inline Tensor preprocess_input(const Tensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
using imagenet_utils::decode_predictions;

}  // namespace mobilenet

using mobilenet::MobileNet;

}  // namespace rhyton::applications
