#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/shape.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/reshaping/margins.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::applications::imagenet_utils {

/// Prepares RGB images with values from 0 to 255, [batch, height, width, 3] or a single one, for a model that was
/// trained on ImageNet. The modes: "caffe" reverses the channels to BGR and subtracts the means of ImageNet; "tf"
/// scales to [-1, 1]; "torch" scales to [0, 1], then subtracts the means of ImageNet and divides by its standard
/// deviations. Images of integers become `config::floatx()`. `data_format` is "channels_last", "channels_first", or
/// empty for `config::image_data_format()`. See https://keras.io/api/applications.
///
/// Throws ValueError in Keras's words for an unknown mode or data format; "caffe" and "torch" also for images of
/// another rank or without three channels.
Tensor preprocess_input(const Tensor& x, const std::string& data_format = {}, const std::string& mode = "caffe");
/// The same as operations of a model.
layers::SymbolicTensor preprocess_input(const layers::SymbolicTensor& x, const std::string& data_format = {},
                                        const std::string& mode = "caffe");

/// A class of ImageNet and its score.
struct Prediction {
  /// The WordNet id, "n02504458".
  std::string class_name;
  /// "African_elephant".
  std::string class_description;
  double score = 0.0;
};

/// The `top` classes with the highest scores for each row of `preds`, [batch, 1000], highest first. The names are read
/// from `imagenet_class_index.json` in Keras's cache (`applications::weights_folder`).
///
/// Throws ValueError in Keras's words for another shape, for a `top` that is not positive and for a file that does not
/// name the classes; IOError if it is not there and cannot be downloaded.
std::vector<std::vector<Prediction>> decode_predictions(const Tensor& preds, std::int64_t top = 5);

/// What a model says about the images that it takes.
struct InputRequirements {
  std::int64_t default_size = 224;
  std::int64_t min_size = 32;
  /// Whether the top needs images of a known size.
  bool require_flatten = true;
  /// As in the options of the models.
  std::optional<std::string> weights = std::nullopt;
};

/// The shape of one image, with -1 for unknown lengths: `input_shape` if it is given and fits, else the default.
/// Throws ValueError in Keras's words if it does not fit; warns of unusual channels.
Shape obtain_input_shape(const std::optional<Shape>& input_shape, const InputRequirements& requirements);

/// The padding before a convolution of stride 2 with such a kernel: "same" for an image of the size of `inputs`, with
/// the smaller part before it, as in PyTorch.
layers::Margins2 correct_pad(const layers::SymbolicTensor& inputs, std::int64_t kernel_size);

/// Throws ValueError in Keras's words for an activation that does not suit pre-trained weights.
void validate_activation(const layers::ActivationFunction& classifier_activation,
                         const std::optional<std::string>& weights);

}  // namespace rhyton::applications::imagenet_utils
