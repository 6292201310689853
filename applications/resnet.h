#pragma once

#include <string>

#include <rhyton/applications/application_options.h>
#include <rhyton/applications/imagenet.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/model.h>

namespace rhyton::applications {

namespace resnet {

/// The residual networks of "Deep Residual Learning for Image Recognition" (https://arxiv.org/abs/1512.03385) with 50,
/// 101 and 152 layers: images of 224 × 224, or from 32 × 32 on. See https://keras.io/api/applications/resnet.
///
/// They throw ValueError in Keras's words for options that do not fit together, and IOError if the weights "imagenet"
/// are not in Keras's cache and cannot be downloaded.
models::Model ResNet50(const ApplicationOptions& options = {});
models::Model ResNet101(const ApplicationOptions& options = {});
models::Model ResNet152(const ApplicationOptions& options = {});

/// Prepares images as `imagenet_utils::preprocess_input` in the mode "caffe".
inline Tensor preprocess_input(const Tensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "caffe");
}
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "caffe");
}
using imagenet_utils::decode_predictions;

}  // namespace resnet

/// Keras's other name of that module.
namespace resnet50 {
using resnet::decode_predictions;
using resnet::preprocess_input;
using resnet::ResNet50;
}  // namespace resnet50

using resnet::ResNet101;
using resnet::ResNet152;
using resnet::ResNet50;

}  // namespace rhyton::applications
