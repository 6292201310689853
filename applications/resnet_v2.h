#pragma once

#include <string>

#include <rhyton/applications/application_options.h>
#include <rhyton/applications/imagenet.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/model.h>

namespace rhyton::applications {

namespace resnet_v2 {

/// The residual networks of "Identity Mappings in Deep Residual Networks" (https://arxiv.org/abs/1603.05027) with 50,
/// 101 and 152 layers: images of 224 × 224, or from 32 × 32 on. See https://keras.io/api/applications/resnet.
///
/// They throw ValueError in Keras's words for options that do not fit together, and IOError if the weights "imagenet"
/// are not in Keras's cache and cannot be downloaded.
models::Model ResNet50V2(const ApplicationOptions& options = {});
models::Model ResNet101V2(const ApplicationOptions& options = {});
models::Model ResNet152V2(const ApplicationOptions& options = {});

/// Prepares images as `imagenet_utils::preprocess_input` in the mode "tf".
inline Tensor preprocess_input(const Tensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
using imagenet_utils::decode_predictions;

}  // namespace resnet_v2

using resnet_v2::ResNet101V2;
using resnet_v2::ResNet152V2;
using resnet_v2::ResNet50V2;

}  // namespace rhyton::applications
