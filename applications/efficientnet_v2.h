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

/// Fields in the order of `keras.applications.EfficientNetV2B0`; those that `ApplicationOptions` has are described
/// there.
struct EfficientNetV2Options {
  ByName by_name = ByName();
  bool include_top = true;
  std::optional<std::string> weights = "imagenet";
  layers::SymbolicTensor input_tensor = {};
  layers::SampleShape input_shape = {};
  std::string pooling = {};
  std::int64_t classes = 1000;
  layers::ActivationFunction classifier_activation = "softmax";
  /// Whether the model scales values from 0 to 255 itself; otherwise it takes images from -1 to 1.
  bool include_preprocessing = true;
  /// The name that the model has in Keras if empty.
  std::string name = {};
};

namespace efficientnet_v2 {

/// The networks of "EfficientNetV2: Smaller Models and Faster Training" (https://arxiv.org/abs/2104.00298): images of
/// 224 × 224, 240 × 240, 260 × 260, 300 × 300, 384 × 384, 480 × 480 or 480 × 480, or from 32 × 32 on. See
/// https://keras.io/api/applications/efficientnet_v2.
///
/// They throw ValueError in Keras's words for options that do not fit together, and IOError if the weights "imagenet"
/// are not in Keras's cache and cannot be downloaded.
models::Model EfficientNetV2B0(const EfficientNetV2Options& options = {});
models::Model EfficientNetV2B1(const EfficientNetV2Options& options = {});
models::Model EfficientNetV2B2(const EfficientNetV2Options& options = {});
models::Model EfficientNetV2B3(const EfficientNetV2Options& options = {});
models::Model EfficientNetV2S(const EfficientNetV2Options& options = {});
models::Model EfficientNetV2M(const EfficientNetV2Options& options = {});
models::Model EfficientNetV2L(const EfficientNetV2Options& options = {});

/// The images as they are: the models scale them, unless `include_preprocessing` is false.
inline Tensor preprocess_input(const Tensor& x, const std::string& /*data_format*/ = {}) { return x; }
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x,
                                               const std::string& /*data_format*/ = {}) {
  return x;
}
using imagenet_utils::decode_predictions;

}  // namespace efficientnet_v2

using efficientnet_v2::EfficientNetV2B0;
using efficientnet_v2::EfficientNetV2B1;
using efficientnet_v2::EfficientNetV2B2;
using efficientnet_v2::EfficientNetV2B3;
using efficientnet_v2::EfficientNetV2L;
using efficientnet_v2::EfficientNetV2M;
using efficientnet_v2::EfficientNetV2S;

}  // namespace rhyton::applications
