#pragma once

#include <string>

#include <rhyton/applications/application_options.h>
#include <rhyton/applications/imagenet.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/model.h>

namespace rhyton::applications {

namespace vgg16 {

/// The network of 16 layers of "Very Deep Convolutional Networks for Large-Scale Image Recognition"
/// (https://arxiv.org/abs/1409.1556): images of 224 × 224, or from 32 × 32 on. See
/// https://keras.io/api/applications/vgg.
///
/// Throws ValueError in Keras's words for options that do not fit together, and IOError if the weights "imagenet" are
/// not in Keras's cache and cannot be downloaded.
models::Model VGG16(const ApplicationOptions& options = {});

/// Prepares images as `imagenet_utils::preprocess_input` in the mode "caffe".
inline Tensor preprocess_input(const Tensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "caffe");
}
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "caffe");
}
using imagenet_utils::decode_predictions;

}  // namespace vgg16

using vgg16::VGG16;

}  // namespace rhyton::applications
