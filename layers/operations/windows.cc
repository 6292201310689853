// Convolutions and pooling of keras.ops on symbolic tensors.

#include <array>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/nn.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

using Lengths = std::vector<std::int64_t>;

/// Sequences or images as images with the channels last: a sequence is an image of height 1.
class Images {
 public:
  Images(const Tensor& inputs, const std::optional<std::string>& data_format)
      : layout_(data_format.value_or("")), is_sequence_(inputs.rank() == 3) {
    if (inputs.rank() != 3 && inputs.rank() != 4) {
      throw NotImplementedError("Windows over inputs of rank " + std::to_string(inputs.rank()) +
                                " are not supported, only those of rank 3 and 4.");
    }
    images_ = layout_.to_channels_last(is_sequence_ ? expand_dims(inputs, layout_.first_spatial_axis()) : inputs);
  }

  const Tensor& tensor() const { return images_; }
  std::int64_t channels() const { return images_.shape().at(-1); }

  /// The images in the form of the inputs.
  Tensor restored(const Tensor& images) const {
    const Tensor outputs = layout_.from_channels_last(images);
    return is_sequence_ ? squeeze(outputs, {layout_.first_spatial_axis()}) : outputs;
  }

  /// A kernel for the inputs as one for the images.
  Tensor kernel(const Tensor& given) const {
    const int rank = is_sequence_ ? 3 : 4;
    if (given.rank() != rank) {
      throw ValueError("The kernel of these inputs must have rank " + std::to_string(rank) +
                       ". Received: kernel.shape=" + given.shape().to_string());
    }
    return is_sequence_ ? expand_dims(given, 0) : given;
  }

  /// The lengths of an argument that is one length for all axes or one per axis.
  std::array<std::int64_t, 2> lengths(const char* argument, const Lengths& given) const {
    const std::size_t axes = is_sequence_ ? 1 : 2;
    if (given.size() != 1 && given.size() != axes) {
      throw ValueError("The argument `" + std::string(argument) + "` must be an integer or " + std::to_string(axes) +
                       " of them. Received " + std::to_string(given.size()) + ".");
    }
    if (is_sequence_) return {1, given.front()};
    return {given.front(), given.back()};
  }

 private:
  ImageLayout layout_;
  bool is_sequence_;
  Tensor images_;
};

template <Tensor (*function)(const Tensor&, const Pool2DAttributes&)>
Tensor pooled(const Tensor& inputs, const Lengths& pool_size, const Lengths& strides, const std::string& padding,
              const std::optional<std::string>& data_format) {
  const Images images(inputs, data_format);
  return images.restored(
      function(images.tensor(), {.pool_size = images.lengths("pool_size", pool_size),
                                 .strides = images.lengths("strides", strides.empty() ? pool_size : strides),
                                 .padding = window_padding(padding)}));
}

Tensor convolved(const Tensor& inputs, const Tensor& kernel, const Lengths& strides, const std::string& padding,
                 const std::optional<std::string>& data_format, const Lengths& dilation_rate) {
  const Images images(inputs, data_format);
  const Tensor filters = images.kernel(kernel);
  const std::int64_t depth = filters.shape()[2];
  if (depth < 1 || images.channels() % depth != 0) {
    throw ValueError(
        "The number of input channels must be evenly divisible by kernel.shape[-2]. Received: "
        "inputs.shape=" +
        inputs.shape().to_string() + ", kernel.shape=" + kernel.shape().to_string());
  }
  return images.restored(conv2d(images.tensor(), filters,
                                {.strides = images.lengths("strides", strides),
                                 .padding = window_padding(padding),
                                 .dilation_rate = images.lengths("dilation_rate", dilation_rate),
                                 .groups = images.channels() / depth}));
}

/// Each channel with filters of its own, channels last.
Tensor depthwise(const Images& images, const Tensor& kernel, const Lengths& strides, const std::string& padding,
                 const Lengths& dilation_rate) {
  const Tensor filters = images.kernel(kernel);
  const Shape& shape = filters.shape();
  if (shape[2] != images.channels()) {
    throw ValueError("The number of input channels must be that of the kernel. Received: images.shape=" +
                     images.tensor().shape().to_string() + ", kernel.shape=" + kernel.shape().to_string());
  }
  return conv2d(images.tensor(), reshape(filters, {shape[0], shape[1], 1, shape[2] * shape[3]}),
                {.strides = images.lengths("strides", strides),
                 .padding = window_padding(padding),
                 .dilation_rate = images.lengths("dilation_rate", dilation_rate),
                 .groups = images.channels()});
}

Tensor depthwise_convolved(const Tensor& inputs, const Tensor& kernel, const Lengths& strides,
                           const std::string& padding, const std::optional<std::string>& data_format,
                           const Lengths& dilation_rate) {
  const Images images(inputs, data_format);
  return images.restored(depthwise(images, kernel, strides, padding, dilation_rate));
}

Tensor separably_convolved(const Tensor& inputs, const Tensor& depthwise_kernel, const Tensor& pointwise_kernel,
                           const Lengths& strides, const std::string& padding,
                           const std::optional<std::string>& data_format, const Lengths& dilation_rate) {
  const Images images(inputs, data_format);
  const Tensor filtered = depthwise(images, depthwise_kernel, strides, padding, dilation_rate);
  return images.restored(conv2d(filtered, images.kernel(pointwise_kernel)));
}

/// Keras refuses symbolic tensors whose channels come in groups; on values it allows them. The specs are found by the
/// computation.
std::vector<TensorSpec> require_channels(const std::vector<Argument>& arguments, std::size_t data_format) {
  const Shape inputs = spec_of(arguments[0]).shape;
  const Shape kernel = spec_of(arguments[1]).shape;
  const ImageLayout layout(ArgumentValue<std::optional<std::string>>::from(arguments[data_format]).value_or(""));
  // The computation refuses other ranks.
  if (inputs.rank() < 3 || kernel.rank() < 3) return {};
  const std::int64_t channels = inputs.at(layout.channel_axis());
  const std::int64_t kernel_channels = kernel.at(-2);
  if (channels < 0 || kernel_channels < 0 || channels == kernel_channels) return {};
  throw ValueError("The number of input channels must match the kernel's input channels. Received: input channels=" +
                   std::to_string(channels) + ", kernel input channels=" + std::to_string(kernel_channels) +
                   ", data_format='" + layout.to_string() + "'.");
}

/// Of a convolution with that number of arguments in front of its options.
template <std::size_t arguments>
std::vector<TensorSpec> convolution_specs(const std::vector<Argument>& values) {
  return require_channels(values, arguments + 2);
}

Keywords convolution_options() {
  return {{"strides", 1}, {"padding", "valid"}, {"data_format", {}}, {"dilation_rate", 1}};
}

Keywords pooling_options() { return {{"pool_size", {}}, {"strides", {}}, {"padding", "valid"}, {"data_format", {}}}; }

Argument pair_argument(const std::array<std::int64_t, 2>& lengths) { return Argument::List{lengths[0], lengths[1]}; }

}  // namespace

std::vector<Operation> window_operations() {
  return {
      {.class_name = "Conv",
       .module = "ops.nn",
       .parameters = {"inputs", "kernel"},
       .options = convolution_options(),
       .compute = computes(convolved),
       .infer = convolution_specs<2>},
      {.class_name = "DepthwiseConv",
       .module = "ops.nn",
       .parameters = {"inputs", "kernel"},
       .options = convolution_options(),
       .compute = computes(depthwise_convolved),
       .infer = convolution_specs<2>},
      {.class_name = "SeparableConv",
       .module = "ops.nn",
       .parameters = {"inputs", "depthwise_kernel", "pointwise_kernel"},
       .options = convolution_options(),
       .compute = computes(separably_convolved),
       .infer = convolution_specs<3>},
      {"MaxPool", "ops.nn", {"inputs"}, pooling_options(), computes(pooled<max_pool2d>)},
      {"AveragePool", "ops.nn", {"inputs"}, pooling_options(), computes(pooled<average_pool2d>)},
  };
}

}  // namespace layers

inline namespace ops {

using layers::Argument;
using layers::operation_output;
using layers::SymbolicTensor;

SymbolicTensor conv2d(const SymbolicTensor& x, const Argument& kernel, const Conv2DAttributes& attributes) {
  // The operation has no argument for the groups, and Keras refuses what has some.
  if (attributes.groups != 1) {
    throw ValueError("A convolution of symbolic tensors has no groups; a Conv2D layer has. Received: groups=" +
                     std::to_string(attributes.groups));
  }
  return operation_output("Conv", {x, kernel},
                          {layers::pair_argument(attributes.strides), std::string(name_of(attributes.padding)),
                           "channels_last", layers::pair_argument(attributes.dilation_rate)});
}

SymbolicTensor max_pool2d(const SymbolicTensor& x, const Pool2DAttributes& attributes) {
  return operation_output("MaxPool", {x},
                          {layers::pair_argument(attributes.pool_size), layers::pair_argument(attributes.strides),
                           std::string(name_of(attributes.padding)), "channels_last"});
}

SymbolicTensor average_pool2d(const SymbolicTensor& x, const Pool2DAttributes& attributes) {
  return operation_output("AveragePool", {x},
                          {layers::pair_argument(attributes.pool_size), layers::pair_argument(attributes.strides),
                           std::string(name_of(attributes.padding)), "channels_last"});
}

}  // namespace ops
}  // namespace rhyton
