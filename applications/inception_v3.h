#pragma once

#include <string>

#include <rhyton/applications/application_options.h>
#include <rhyton/applications/imagenet.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/model.h>

namespace rhyton::applications {

namespace inception_v3 {

/// The network of "Rethinking the Inception Architecture for Computer Vision" (https://arxiv.org/abs/1512.00567): images
/// of 299 × 299, or from 75 × 75 on. See https://keras.io/api/applications/inceptionv3.
///
/// Throws ValueError in Keras's words for options that do not fit together, and IOError if the weights "imagenet" are
/// not in Keras's cache and cannot be downloaded.
models::Model InceptionV3(const ApplicationOptions& options = {});

/// Prepares images as `imagenet_utils::preprocess_input` in the mode "tf".
inline Tensor preprocess_input(const Tensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x, const std::string& data_format = {}) {
  return imagenet_utils::preprocess_input(x, data_format, "tf");
}
using imagenet_utils::decode_predictions;

}  // namespace inception_v3

using inception_v3::InceptionV3;

}  // namespace rhyton::applications
