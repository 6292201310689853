#pragma once

#include <string>

#include <rhyton/applications/application_options.h>
#include <rhyton/applications/imagenet.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/model.h>

namespace rhyton::applications {

namespace densenet {

/// The networks of "Densely Connected Convolutional Networks" (https://arxiv.org/abs/1608.06993) with 121, 169 and 201
/// layers: images of 224 × 224, or from 32 × 32 on. See https://keras.io/api/applications/densenet.
///
/// They throw ValueError in Keras's words for options that do not fit together and where images have their channels
/// first, and IOError if the weights "imagenet" are not in Keras's cache and cannot be downloaded.
models::Model DenseNet121(const ApplicationOptions& options = {});
models::Model DenseNet169(const ApplicationOptions& options = {});
models::Model DenseNet201(const ApplicationOptions& options = {});

/// Prepares images as `imagenet_utils::preprocess_input` in the mode "torch".
inline Tensor preprocess_input(const Tensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "torch");
}
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "torch");
}
using imagenet_utils::decode_predictions;

}  // namespace densenet

using densenet::DenseNet121;
using densenet::DenseNet169;
using densenet::DenseNet201;

}  // namespace rhyton::applications
