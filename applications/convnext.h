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

/// Fields in the order of `keras.applications.ConvNeXtTiny`; those that `ApplicationOptions` has are described there.
struct ConvNeXtOptions {
  ByName by_name = ByName();
  bool include_top = true;
  /// Whether the model normalizes images of three channels, with values from 0 to 255, itself.
  bool include_preprocessing = true;
  std::optional<std::string> weights = "imagenet";
  layers::SymbolicTensor input_tensor = {};
  layers::SampleShape input_shape = {};
  std::string pooling = {};
  std::int64_t classes = 1000;
  layers::ActivationFunction classifier_activation = "softmax";
  /// The name that the model has in Keras if empty. The names of most layers begin with it.
  std::string name = {};
};

namespace convnext {

/// The networks of "A ConvNet for the 2020s" (https://arxiv.org/abs/2201.03545): images of 224 × 224, or from 32 × 32
/// on. See https://keras.io/api/applications/convnext.
///
/// They throw ValueError in Keras's words for options that do not fit together and where images have their channels
/// first, and IOError if the weights "imagenet" are not in Keras's cache and cannot be downloaded.
models::Model ConvNeXtTiny(const ConvNeXtOptions& options = {});
models::Model ConvNeXtSmall(const ConvNeXtOptions& options = {});
models::Model ConvNeXtBase(const ConvNeXtOptions& options = {});
models::Model ConvNeXtLarge(const ConvNeXtOptions& options = {});
models::Model ConvNeXtXLarge(const ConvNeXtOptions& options = {});

/// The images as they are: the models normalize them, unless `include_preprocessing` is false.
inline Tensor preprocess_input(const Tensor& x, const std::string& /*data_format*/ = {}) { return x; }
inline layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x,
                                               const std::string& /*data_format*/ = {}) {
  return x;
}
using imagenet_utils::decode_predictions;

}  // namespace convnext

using convnext::ConvNeXtBase;
using convnext::ConvNeXtLarge;
using convnext::ConvNeXtSmall;
using convnext::ConvNeXtTiny;
using convnext::ConvNeXtXLarge;

}  // namespace rhyton::applications
