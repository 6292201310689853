#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <rhyton/applications/application_options.h>
#include <rhyton/applications/weights.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/model.h>

// What the functions that make models have in common.

namespace rhyton::applications {

using layers::SymbolicTensor;
using models::Model;

/// The sizes of the images that a model takes.
struct ImageSizes {
  std::int64_t default_size = 224;
  std::int64_t min_size = 32;
};

/// What a model is made of.
struct Architecture {
  /// The name of the model if the options have none.
  std::string name;
  /// The shape of one image.
  Shape input_shape;
  /// From the image to the output of the last convolution.
  std::function<SymbolicTensor(const SymbolicTensor& image)> features;
  /// From there to the scores of the classes.
  std::function<SymbolicTensor(const SymbolicTensor& features)> top;
  /// The names of the layers that pool without the top; automatic if empty.
  std::string average_pooling = {};
  std::string max_pooling = {};
  /// From the features, pooled if they are, to the output of a model without the top; if empty, they are the output.
  std::function<SymbolicTensor(const SymbolicTensor& features)> after_pooling = {};
  /// The file that the weights "imagenet" come from.
  RemoteFile imagenet = {};
};

/// The options that all models have.
template <class Options>
ApplicationOptions common_options(const Options& options) {
  return {.include_top = options.include_top,
          .weights = options.weights,
          .input_tensor = options.input_tensor,
          .input_shape = options.input_shape,
          .pooling = options.pooling,
          .classes = options.classes,
          .classifier_activation = options.classifier_activation,
          .name = options.name};
}

/// Throws ValueError, where Keras does so in its words, for weights that do not exist, another number of classes or an
/// activation that does not suit them, and an unknown pooling.
void check_options(const ApplicationOptions& options);

/// The shape of one image, as `imagenet_utils::obtain_input_shape` has it.
Shape input_shape_of(const ApplicationOptions& options, const ImageSizes& sizes);

/// The usual top: global average pooling with this name, and the Dense layer "predictions".
SymbolicTensor dense_top(const SymbolicTensor& features, const ApplicationOptions& options,
                         const std::string& average_pooling = {});

/// The functional model, with its weights. The options have been checked.
Model make_application(const Architecture& architecture, const ApplicationOptions& options);

/// The address of a file in Keras's folder of that application.
RemoteFile imagenet_file(const std::string& folder, const std::string& name, const std::string& checksum = {});

/// The axis of the channels counted from the front, as most models give it to BatchNormalization: 1 or 3.
int channel_axis_from_front();
/// The number of channels. Throws ValueError if it is not known.
std::int64_t channels_of(const SymbolicTensor& x);

/// The integer part of `value`, a number of filters. Throws ValueError if it is out of range.
std::int64_t whole_filters(double value);
/// `value` rounded to a multiple of 8, at least 8, and not by more than a tenth down.
std::int64_t filters_divisible_by_8(double value);

}  // namespace rhyton::applications
