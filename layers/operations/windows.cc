// Convolutions and pooling of keras.ops on symbolic tensors.

#include <rhyton/layers/operations/windows.h>

#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/spatial_convolution.h>
#include <rhyton/framework/ops/window_shapes.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/numpy_joining.h>
#include <rhyton/layers/operations/numpy_shaping.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

using Format = std::optional<std::string>;

// --- Computations

ConvOptions conv_options(const PerAxis& strides, const std::string& padding, const Format& data_format,
                         const PerAxis& dilation_rate) {
  return {
      .strides = strides, .padding = padding, .data_format = data_format.value_or(""), .dilation_rate = dilation_rate};
}

ConvTransposeOptions transpose_options(const PerAxis& strides, const std::string& padding,
                                       const PerAxis& output_padding, const Format& data_format,
                                       const PerAxis& dilation_rate) {
  return {.strides = strides,
          .padding = padding,
          .output_padding = output_padding,
          .data_format = data_format.value_or(""),
          .dilation_rate = dilation_rate};
}

PoolOptions pool_options(const PerAxis& strides, const std::string& padding, const Format& data_format) {
  return {.strides = strides, .padding = padding, .data_format = data_format.value_or("")};
}

template <Tensor (*function)(const Tensor&, const Tensor&, const ConvOptions&)>
Tensor convolved(const Tensor& inputs, const Tensor& kernel, const PerAxis& strides, const std::string& padding,
                 const Format& data_format, const PerAxis& dilation_rate) {
  return function(inputs, kernel, conv_options(strides, padding, data_format, dilation_rate));
}

Tensor separably_convolved(const Tensor& inputs, const Tensor& depthwise_kernel, const Tensor& pointwise_kernel,
                           const PerAxis& strides, const std::string& padding, const Format& data_format,
                           const PerAxis& dilation_rate) {
  return separable_conv(inputs, depthwise_kernel, pointwise_kernel,
                        conv_options(strides, padding, data_format, dilation_rate));
}

Tensor transposed(const Tensor& inputs, const Tensor& kernel, const PerAxis& strides, const std::string& padding,
                  const PerAxis& output_padding, const Format& data_format, const PerAxis& dilation_rate) {
  return conv_transpose(inputs, kernel,
                        transpose_options(strides, padding, output_padding, data_format, dilation_rate));
}

template <Tensor (*function)(const Tensor&, const PerAxis&, const PoolOptions&)>
Tensor pooled(const Tensor& inputs, const PerAxis& pool_size, const PerAxis& strides, const std::string& padding,
              const Format& data_format) {
  return function(inputs, pool_size, pool_options(strides, padding, data_format));
}

/// The shape of adaptive pooling.
Shape adaptive_shape(const Shape& inputs, const PerAxis& output_size, const Format& data_format) {
  require_spatial_rank(inputs.rank());
  Shape shape = inputs;
  int axis = image::has_channels_first(data_format.value_or("")) ? 2 : 1;
  const auto axes = static_cast<std::size_t>(inputs.rank()) - 2;
  for (const std::int64_t length : output_size.for_axes(axes, "output_size")) {
    require_output_size(length, output_size.to_string());
    if (inputs[axis] == 0)
      throw ValueError("Adaptive pooling takes no axis without elements. Received: shape=" + inputs.to_string());
    shape[axis++] = length;
  }
  return shape;
}

template <Tensor (*function)(const Tensor&, const PerAxis&, const std::string&)>
Tensor adaptively_pooled(const Tensor& inputs, const PerAxis& output_size, const Format& data_format) {
  if (!is_inferring()) return function(inputs, output_size, data_format.value_or(""));
  // The positions of the windows, whose number may come from a file, do not matter for the shape.
  const Shape shape = adaptive_shape(inputs.shape(), output_size, data_format);
  std::vector<int> spatial;
  const int first = image::has_channels_first(data_format.value_or("")) ? 2 : 1;
  for (int i = 0; i < inputs.rank() - 2; ++i) spatial.push_back(first + i);
  return broadcast_to(sum(inputs, spatial, true), shape);
}

// --- Shapes

/// The option of a row with that number of arguments in front of its options.
template <class T>
T option_of(const std::vector<Argument>& values, std::size_t arguments, std::size_t option) {
  return ArgumentValue<T>::from(values.at(arguments + option));
}

/// Throws InvalidArgumentError unless the tensors have one floating dtype.
void require_window_dtype(const char* class_name, const std::vector<TensorSpec>& specs) {
  if (!is_floating(specs.front().dtype)) {
    throw InvalidArgumentError(std::string(class_name) + " takes tensors of a floating dtype. Received: " +
                               std::string(message_name_of(specs.front().dtype)));
  }
  require_same_dtype(class_name, specs);
}

void require_kernel_axes(const Shape& kernel) {
  if (kernel.rank() >= 2) return;
  throw ValueError("The kernel of a convolution has at least two axes. Received: kernel.shape=" + kernel.to_string());
}

ConvOptions conv_options_of(const std::vector<Argument>& values, std::size_t arguments) {
  return conv_options(option_of<PerAxis>(values, arguments, 0), option_of<std::string>(values, arguments, 1),
                      option_of<Format>(values, arguments, 2), option_of<PerAxis>(values, arguments, 3));
}

std::vector<TensorSpec> conv_specs(const std::vector<Argument>& values) {
  const TensorSpec inputs = spec_of(values.at(0));
  const TensorSpec kernel = spec_of(values.at(1));
  const ConvOptions options = conv_options_of(values, 2);
  require_spatial_rank(inputs.shape.rank());
  require_kernel_axes(kernel.shape);
  // Keras has groups for tensors only.
  require_kernel_channels(inputs.shape, kernel.shape[-2], options.data_format);
  const Shape shape = conv_output_shape(inputs.shape, kernel.shape, kernel.shape[-1], options);
  require_window_dtype("Conv", {inputs, kernel});
  return {{shape, inputs.dtype}};
}

/// Of the convolution by channels, with `arguments` arguments in front of the options.
Shape depthwise_shape(const std::vector<Argument>& values, std::size_t arguments) {
  const TensorSpec inputs = spec_of(values.at(0));
  const TensorSpec kernel = spec_of(values.at(1));
  const ConvOptions options = conv_options_of(values, arguments);
  if (inputs.shape.rank() != 3 && inputs.shape.rank() != 4) {
    throw ValueError(
        "`inputs` rank must be 3 (1D conv) or 4 (2D conv). Received: " + std::to_string(inputs.shape.rank()) + ".");
  }
  require_kernel_axes(kernel.shape);
  require_kernel_channels(inputs.shape, kernel.shape[-2], options.data_format);
  const bool is_known = kernel.shape[-2] >= 0 && kernel.shape[-1] >= 0;
  const std::int64_t filters = is_known ? checked_multiply(kernel.shape[-2], kernel.shape[-1]) : -1;
  return conv_output_shape(inputs.shape, kernel.shape, filters, options);
}

std::vector<TensorSpec> depthwise_specs(const std::vector<Argument>& values) {
  const Shape shape = depthwise_shape(values, 2);
  require_window_dtype("DepthwiseConv", {spec_of(values.at(0)), spec_of(values.at(1))});
  return {{shape, spec_of(values.at(0)).dtype}};
}

std::vector<TensorSpec> separable_specs(const std::vector<Argument>& values) {
  const TensorSpec inputs = spec_of(values.at(0));
  const TensorSpec pointwise = spec_of(values.at(2));
  const Shape filtered = depthwise_shape(values, 3);
  const std::string data_format = option_of<Format>(values, 3, 2).value_or("");
  require_kernel_axes(pointwise.shape);
  // A window of one place.
  require_kernel_channels(filtered, pointwise.shape[-2], data_format);
  const Shape shape = conv_output_shape(filtered, pointwise.shape, pointwise.shape[-1], {.data_format = data_format});
  for (int axis = 0; axis < pointwise.shape.rank() - 2; ++axis) {
    if (pointwise.shape[axis] == 1 || pointwise.shape[axis] < 0) continue;
    throw ValueError("The window of the pointwise kernel must have one place. Received: pointwise_kernel.shape=" +
                     pointwise.shape.to_string());
  }
  require_window_dtype("SeparableConv", {inputs, spec_of(values.at(1)), pointwise});
  return {{shape, inputs.dtype}};
}

std::vector<TensorSpec> transpose_specs(const std::vector<Argument>& values) {
  const TensorSpec inputs = spec_of(values.at(0));
  const TensorSpec kernel = spec_of(values.at(1));
  const ConvTransposeOptions options = transpose_options(
      option_of<PerAxis>(values, 2, 0), option_of<std::string>(values, 2, 1), option_of<PerAxis>(values, 2, 2),
      option_of<Format>(values, 2, 3), option_of<PerAxis>(values, 2, 4));
  require_spatial_rank(inputs.shape.rank());
  require_kernel_axes(kernel.shape);
  require_kernel_channels(inputs.shape, kernel.shape[-1], options.data_format);
  const Shape shape = conv_transpose_output_shape(inputs.shape, kernel.shape, options);
  require_window_dtype("ConvTranspose", {inputs, kernel});
  return {{shape, inputs.dtype}};
}

/// Throws InvalidArgumentError for a dtype that the function, a maximum or a mean, does not take.
void require_pooled_dtype(const char* class_name, const TensorSpec& inputs, bool takes_integers) {
  if (takes_integers && inputs.dtype != DType::bool_) return;
  require_window_dtype(class_name, {inputs});
}

template <bool takes_integers>
std::vector<TensorSpec> pooling_specs(const std::vector<Argument>& values) {
  const TensorSpec inputs = spec_of(values.at(0));
  const Shape shape =
      pooling_output_shape(inputs.shape, option_of<PerAxis>(values, 1, 0),
                           pool_options(option_of<PerAxis>(values, 1, 1), option_of<std::string>(values, 1, 2),
                                        option_of<Format>(values, 1, 3)));
  require_pooled_dtype("Pooling", inputs, takes_integers);
  return {{shape, inputs.dtype}};
}

template <bool takes_integers>
std::vector<TensorSpec> adaptive_specs(const std::vector<Argument>& values) {
  const TensorSpec inputs = spec_of(values.at(0));
  const Shape shape = adaptive_shape(inputs.shape, option_of<PerAxis>(values, 1, 0), option_of<Format>(values, 1, 1));
  require_pooled_dtype("Adaptive pooling", inputs, takes_integers);
  return {{shape, inputs.dtype}};
}

// --- Rows

Keywords convolution_options() {
  return {{"strides", 1}, {"padding", "valid"}, {"data_format", {}}, {"dilation_rate", 1}};
}

Keywords pooling_options() { return {{"pool_size", {}}, {"strides", {}}, {"padding", "valid"}, {"data_format", {}}}; }

Keywords adaptive_options() { return {{"output_size", {}}, {"data_format", {}}}; }

/// As Keras's functions pass them on to operations.
Argument padding_argument(std::string padding) {
  for (char& letter : padding) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return padding;
}
Argument format_argument(const std::string& data_format) {
  return image::has_channels_first(data_format) ? "channels_first" : "channels_last";
}
std::vector<Argument> option_arguments(const ConvOptions& options) {
  return {argument_of(options.strides), padding_argument(options.padding), format_argument(options.data_format),
          argument_of(options.dilation_rate)};
}
std::vector<Argument> option_arguments(const PerAxis& pool_size, const PoolOptions& options) {
  return {argument_of(pool_size), argument_of(options.strides), padding_argument(options.padding),
          format_argument(options.data_format)};
}

Argument pair_argument(const std::array<std::int64_t, 2>& lengths) { return Argument::List{lengths[0], lengths[1]}; }

SymbolicTensor adaptively_pooled(const char* class_name, const SymbolicTensor& inputs, const PerAxis& output_size,
                                 const std::string& data_format) {
  require_spatial_rank(inputs.rank());
  // Keras's operation takes a tuple only.
  const Argument sizes = output_size.for_axes(static_cast<std::size_t>(inputs.rank()) - 2, "output_size");
  return operation_output(class_name, {inputs}, {sizes, format_argument(data_format)});
}

// --- Groups

/// Throws ValueError unless images and kernel are convolved in that many groups.
void require_groups(const Shape& x, const Shape& kernel, std::int64_t groups) {
  if (groups < 1) {
    throw ValueError("The number of groups must be a positive integer. Received: groups=" + std::to_string(groups));
  }
  if (x.rank() != 4 || kernel.rank() != 4 || x[3] < 0 || kernel[2] < 0 || kernel[3] < 0) {
    throw ValueError("A convolution in groups takes images and a kernel of known channels. Received: inputs.shape=" +
                     x.to_string() + ", kernel.shape=" + kernel.to_string());
  }
  if (x[3] != checked_multiply(kernel[2], groups)) {
    throw ValueError("The number of input channels must be groups times the kernel's. Received: inputs.shape=" +
                     x.to_string() + ", kernel.shape=" + kernel.to_string() + ", groups=" + std::to_string(groups));
  }
  if (kernel[3] % groups != 0) {
    throw ValueError("The number of filters must be evenly divisible by the number of groups. Received: groups=" +
                     std::to_string(groups) + ", filters=" + std::to_string(kernel[3]) + ".");
  }
}

/// The parts of a kernel with the filters of a group each.
std::vector<Argument> kernel_parts(const Argument& kernel, std::int64_t groups) {
  std::vector<Argument> parts;
  if (kernel.is_symbolic()) {
    for (const SymbolicTensor& part : split(kernel.symbolic(), groups, -1)) parts.emplace_back(part);
  } else {
    for (const Tensor& part : split(kernel.tensor(), groups, -1)) parts.emplace_back(part);
  }
  return parts;
}

/// Keras refuses strides that are lists, and different ones, where it has read a depthwise convolution from a file.
std::optional<std::int64_t> common_stride(const Conv2DAttributes& attributes) {
  if (attributes.strides[0] != attributes.strides[1]) return std::nullopt;
  return attributes.strides[0];
}

SymbolicTensor convolved_in_groups(const SymbolicTensor& x, const Argument& kernel,
                                   const Conv2DAttributes& attributes) {
  const std::int64_t groups = attributes.groups;
  const Shape shape = spec_of(kernel).shape;
  require_groups(x.shape(), shape, groups);
  Conv2DAttributes of_group = attributes;
  of_group.groups = 1;
  const std::optional<std::int64_t> stride = common_stride(attributes);
  if (shape[2] == 1 && stride) {
    const Shape by_channels = {shape[0], shape[1], groups, shape[3] / groups};
    const Argument filters = kernel.is_symbolic() ? Argument(reshape(kernel.symbolic(), by_channels))
                                                  : Argument(reshape(kernel.tensor(), by_channels));
    return depthwise_conv(x, filters,
                          {.strides = *stride,
                           .padding = std::string(name_of(attributes.padding)),
                           .data_format = "channels_last",
                           .dilation_rate = {attributes.dilation_rate[0], attributes.dilation_rate[1]}});
  }
  require_outputs(groups);
  const std::vector<Argument> kernels = kernel_parts(kernel, groups);
  std::vector<SymbolicTensor> outputs;
  for (const SymbolicTensor& part : split(x, groups, -1)) {
    outputs.push_back(conv2d(part, kernels[outputs.size()], of_group));
  }
  return concatenate(outputs, -1);
}

}  // namespace

std::vector<Operation> window_operations() {
  return {
      {.class_name = "Conv",
       .module = "ops.nn",
       .parameters = {"inputs", "kernel"},
       .options = convolution_options(),
       .compute = computes(convolved<conv>),
       .infer = conv_specs},
      {.class_name = "DepthwiseConv",
       .module = "ops.nn",
       .parameters = {"inputs", "kernel"},
       .options = convolution_options(),
       .compute = computes(convolved<depthwise_conv>),
       .infer = depthwise_specs},
      {.class_name = "SeparableConv",
       .module = "ops.nn",
       .parameters = {"inputs", "depthwise_kernel", "pointwise_kernel"},
       .options = convolution_options(),
       .compute = computes(separably_convolved),
       .infer = separable_specs},
      {.class_name = "ConvTranspose",
       .module = "ops.nn",
       .parameters = {"inputs", "kernel"},
       .options =
           {{"strides", 1}, {"padding", "valid"}, {"output_padding", {}}, {"data_format", {}}, {"dilation_rate", 1}},
       .compute = computes(transposed),
       .infer = transpose_specs},
      {.class_name = "MaxPool",
       .module = "ops.nn",
       .parameters = {"inputs"},
       .options = pooling_options(),
       .compute = computes(pooled<max_pool>),
       .infer = pooling_specs<true>},
      {.class_name = "AveragePool",
       .module = "ops.nn",
       .parameters = {"inputs"},
       .options = pooling_options(),
       .compute = computes(pooled<average_pool>),
       .infer = pooling_specs<false>},
      {.class_name = "AdaptiveMaxPool",
       .module = "ops.nn",
       .parameters = {"inputs"},
       .options = adaptive_options(),
       .compute = computes(adaptively_pooled<adaptive_max_pool>),
       .infer = adaptive_specs<true>},
      {.class_name = "AdaptiveAveragePool",
       .module = "ops.nn",
       .parameters = {"inputs"},
       .options = adaptive_options(),
       .compute = computes(adaptively_pooled<adaptive_average_pool>),
       .infer = adaptive_specs<false>},
  };
}

}  // namespace layers

inline namespace ops {

using layers::Argument;
using layers::argument_of;
using layers::operation_output;
using layers::SymbolicTensor;

SymbolicTensor conv(const SymbolicTensor& inputs, const Argument& kernel, const ConvOptions& options) {
  return operation_output("Conv", {inputs, kernel}, layers::option_arguments(options));
}
SymbolicTensor depthwise_conv(const SymbolicTensor& inputs, const Argument& kernel, const ConvOptions& options) {
  return operation_output("DepthwiseConv", {inputs, kernel}, layers::option_arguments(options));
}
SymbolicTensor separable_conv(const SymbolicTensor& inputs, const Argument& depthwise_kernel,
                              const Argument& pointwise_kernel, const ConvOptions& options) {
  return operation_output("SeparableConv", {inputs, depthwise_kernel, pointwise_kernel},
                          layers::option_arguments(options));
}
SymbolicTensor conv_transpose(const SymbolicTensor& inputs, const Argument& kernel,
                              const ConvTransposeOptions& options) {
  return operation_output(
      "ConvTranspose", {inputs, kernel},
      {argument_of(options.strides), layers::padding_argument(options.padding), argument_of(options.output_padding),
       layers::format_argument(options.data_format), argument_of(options.dilation_rate)});
}

SymbolicTensor max_pool(const SymbolicTensor& inputs, const PerAxis& pool_size, const PoolOptions& options) {
  return operation_output("MaxPool", {inputs}, layers::option_arguments(pool_size, options));
}
SymbolicTensor average_pool(const SymbolicTensor& inputs, const PerAxis& pool_size, const PoolOptions& options) {
  return operation_output("AveragePool", {inputs}, layers::option_arguments(pool_size, options));
}
SymbolicTensor adaptive_average_pool(const SymbolicTensor& inputs, const PerAxis& output_size,
                                     const std::string& data_format) {
  return layers::adaptively_pooled("AdaptiveAveragePool", inputs, output_size, data_format);
}
SymbolicTensor adaptive_max_pool(const SymbolicTensor& inputs, const PerAxis& output_size,
                                 const std::string& data_format) {
  return layers::adaptively_pooled("AdaptiveMaxPool", inputs, output_size, data_format);
}

SymbolicTensor conv2d(const SymbolicTensor& x, const Argument& kernel, const Conv2DAttributes& attributes) {
  if (attributes.groups != 1) return layers::convolved_in_groups(x, kernel, attributes);
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
