#pragma once

#include <string>

#include <rhyton/applications/application_options.h>
#include <rhyton/applications/imagenet.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/model.h>

namespace rhyton::applications {

namespace efficientnet {

/// The networks of "EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks"
/// (https://arxiv.org/abs/1905.11946): images of 224 × 224, 240 × 240, 260 × 260, 300 × 300, 380 × 380, 456 × 456,
/// 528 × 528 or 600 × 600, or from 32 × 32 on. See https://keras.io/api/applications/efficientnet.
///
/// They throw ValueError in Keras's words for options that do not fit together, and IOError if the weights "imagenet"
/// are not in Keras's cache and cannot be downloaded.
models::Model EfficientNetB0(const ApplicationOptions& options = {});
models::Model EfficientNetB1(const ApplicationOptions& options = {});
models::Model EfficientNetB2(const ApplicationOptions& options = {});
models::Model EfficientNetB3(const ApplicationOptions& options = {});
models::Model EfficientNetB4(const ApplicationOptions& options = {});
models::Model EfficientNetB5(const ApplicationOptions& options = {});
models::Model EfficientNetB6(const ApplicationOptions& options = {});
models::Model EfficientNetB7(const ApplicationOptions& options = {});

/// The images as they are, with values from 0 to 255: the models scale them.
inline Tensor preprocess_input(const Tensor& x, const std::string& /*data_format*/ = {}) { return x; }
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x,
                                               const std::string& /*data_format*/ = {}) {
  return x;
}
using imagenet_utils::decode_predictions;

}  // namespace efficientnet

using efficientnet::EfficientNetB0;
using efficientnet::EfficientNetB1;
using efficientnet::EfficientNetB2;
using efficientnet::EfficientNetB3;
using efficientnet::EfficientNetB4;
using efficientnet::EfficientNetB5;
using efficientnet::EfficientNetB6;
using efficientnet::EfficientNetB7;

}  // namespace rhyton::applications
