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

/// Fields in the order of `keras.applications.NASNetMobile`; they are described in `ApplicationOptions`.
struct NASNetOptions {
  ByName by_name = ByName();
  layers::SampleShape input_shape = {};
  bool include_top = true;
  std::optional<std::string> weights = "imagenet";
  layers::SymbolicTensor input_tensor = {};
  std::string pooling = {};
  std::int64_t classes = 1000;
  layers::ActivationFunction classifier_activation = "softmax";
  std::string name = {};
};

namespace nasnet {

/// The networks NASNet-A of "Learning Transferable Architectures for Scalable Image Recognition"
/// (https://arxiv.org/abs/1707.07012): images of 224 × 224 (NASNetMobile) or 331 × 331 (NASNetLarge), or from 32 × 32 on.
/// See https://keras.io/api/applications/nasnet.
///
/// They throw ValueError in Keras's words for options that do not fit together and where images have their channels
/// first, and IOError if the weights "imagenet" are not in Keras's cache and cannot be downloaded.
models::Model NASNetMobile(const NASNetOptions& options = {});
models::Model NASNetLarge(const NASNetOptions& options = {});

/// Prepares images as `imagenet_utils::preprocess_input` in the mode "tf".
inline Tensor preprocess_input(const Tensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
using imagenet_utils::decode_predictions;

}  // namespace nasnet

using nasnet::NASNetLarge;
using nasnet::NASNetMobile;

}  // namespace rhyton::applications
