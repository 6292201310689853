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

/// Fields in the order of `keras.applications.MobileNetV3Small`; those that `ApplicationOptions` has are described
/// there.
struct MobileNetV3Options {
  ByName by_name = ByName();
  layers::SampleShape input_shape = {};
  /// The width: the factor of the numbers of filters.
  double alpha = 1.0;
  /// Without squeeze and excitation, hard swish and kernels of 5 × 5.
  bool minimalistic = false;
  bool include_top = true;
  std::optional<std::string> weights = "imagenet";
  layers::SymbolicTensor input_tensor = {};
  std::int64_t classes = 1000;
  std::string pooling = {};
  /// The rate of the dropout before the classes; 0 for none.
  double dropout_rate = 0.2;
  layers::ActivationFunction classifier_activation = "softmax";
  /// Whether the model scales values from 0 to 255 itself; otherwise it takes images from -1 to 1.
  bool include_preprocessing = true;
  /// The name of the function if empty.
  std::string name = {};
};

/// The networks of "Searching for MobileNetV3" (https://arxiv.org/abs/1905.02244): images of any size from 32 × 32 on.
/// See https://keras.io/api/applications/mobilenet.
///
/// They throw ValueError in Keras's words for options that do not fit together, and IOError if the weights "imagenet"
/// are not in Keras's cache and cannot be downloaded.
models::Model MobileNetV3Small(const MobileNetV3Options& options = {});
models::Model MobileNetV3Large(const MobileNetV3Options& options = {});

namespace mobilenet_v3 {

/// The images as they are: the models scale them, unless `include_preprocessing` is false.
inline Tensor preprocess_input(const Tensor& x, const std::string& /*data_format*/ = {}) { return x; }
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x,
                                               const std::string& /*data_format*/ = {}) {
  return x;
}
using imagenet_utils::decode_predictions;

}  // namespace mobilenet_v3

}  // namespace rhyton::applications
