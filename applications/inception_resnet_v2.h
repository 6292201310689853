#pragma once

#include <string>

#include <rhyton/applications/application_options.h>
#include <rhyton/applications/imagenet.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/model.h>

namespace rhyton::applications {

namespace inception_resnet_v2 {

/// The network Inception-ResNet-v2 of "Inception-v4, Inception-ResNet and the Impact of Residual Connections on
/// Learning" (https://arxiv.org/abs/1602.07261): images of 299 × 299, or from 75 × 75 on. See
/// https://keras.io/api/applications/inceptionresnetv2.
///
/// Throws ValueError in Keras's words for options that do not fit together, and IOError if the weights "imagenet" are
/// not in Keras's cache and cannot be downloaded.
models::Model InceptionResNetV2(const ApplicationOptions& options = {});

/// Prepares images as `imagenet_utils::preprocess_input` in the mode "tf".
inline Tensor preprocess_input(const Tensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
using imagenet_utils::decode_predictions;

}  // namespace inception_resnet_v2

using inception_resnet_v2::InceptionResNetV2;

}  // namespace rhyton::applications
