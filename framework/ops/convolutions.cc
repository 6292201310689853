#include <rhyton/framework/ops/convolutions.h>

#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/spatial_convolution.h>
#include <rhyton/framework/ops/transposed_convolution.h>
#include <rhyton/framework/ops/window_shapes.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

ConvolutionAttributes convolution_attributes(int rank, const ConvOptions& options, std::int64_t groups) {
  const auto axes = static_cast<std::size_t>(rank) - 2;
  return {.strides = options.strides.for_axes(axes, "strides"),
          .padding = padding_from_name(options.padding),
          .dilation_rate = options.dilation_rate.for_axes(axes, "dilation_rate"),
          .groups = groups};
}

/// Throws unless the kernel of `depthwise_conv` fits.
void require_depthwise(const Tensor& inputs, const Tensor& kernel, const ConvOptions& options) {
  const Shape& shape = kernel.shape();
  if (shape.rank() < 2) {
    throw ValueError("The kernel of a convolution has at least two axes. Received: kernel.shape=" + shape.to_string());
  }
  require_kernel_channels(inputs.shape(), shape[-2], options.data_format);
  static_cast<void>(conv_output_shape(inputs.shape(), shape, checked_multiply(shape[-2], shape[-1]), options));
}

/// With the channels last.
Tensor depthwise(const Tensor& images, const Tensor& kernel, const ConvOptions& options) {
  return convolution(images, depthwise_as_grouped(kernel),
                     convolution_attributes(images.rank(), options, kernel.shape()[-2]));
}

}  // namespace

Tensor conv(const Tensor& inputs, const Tensor& kernel, const ConvOptions& options) {
  require_spatial_rank(inputs.rank());
  const image::ImageBatch batch(inputs, options.data_format, inputs.rank());
  const Shape& shape = kernel.shape();
  static_cast<void>(conv_output_shape(inputs.shape(), shape, shape.rank() == 0 ? 1 : shape[-1], options));
  const std::int64_t channels = batch.images().shape()[-1];
  if (shape[-2] < 1 || channels % shape[-2] != 0) {
    throw ValueError(
        "The number of input channels must be evenly divisible by kernel.shape[-2]. Received: inputs.shape=" +
        inputs.shape().to_string() + ", kernel.shape=" + shape.to_string());
  }
  return batch.restored(
      convolution(batch.images(), kernel, convolution_attributes(inputs.rank(), options, channels / shape[-2])));
}

Tensor depthwise_conv(const Tensor& inputs, const Tensor& kernel, const ConvOptions& options) {
  if (inputs.rank() != 3 && inputs.rank() != 4) {
    throw ValueError("`inputs` rank must be 3 (1D conv) or 4 (2D conv). Received: " + std::to_string(inputs.rank()) +
                     ".");
  }
  require_depthwise(inputs, kernel, options);
  const image::ImageBatch batch(inputs, options.data_format, inputs.rank());
  return batch.restored(depthwise(batch.images(), kernel, options));
}

Tensor separable_conv(const Tensor& inputs, const Tensor& depthwise_kernel, const Tensor& pointwise_kernel,
                      const ConvOptions& options) {
  if (inputs.rank() != 3 && inputs.rank() != 4) {
    throw ValueError(
        "`num_spatial_dims` must be 1 or 2. Received: num_spatial_dims=" + std::to_string(inputs.rank() - 2) + ".");
  }
  require_depthwise(inputs, depthwise_kernel, options);
  const image::ImageBatch batch(inputs, options.data_format, inputs.rank());
  const Tensor filtered = depthwise(batch.images(), depthwise_kernel, options);
  const Shape& shape = pointwise_kernel.shape();
  const Shape ones = Shape(std::vector<std::int64_t>(static_cast<std::size_t>(inputs.rank()) - 2, 1));
  if (shape.rank() != inputs.rank() || shape.slice(0, shape.rank() - 2) != ones || shape[-2] != filtered.shape()[-1]) {
    throw ValueError("The pointwise kernel must have the shape " +
                     ones.concatenate({filtered.shape()[-1]}).to_string() +
                     " and an axis of filters. Received: pointwise_kernel.shape=" + shape.to_string());
  }
  return batch.restored(convolution(filtered, pointwise_kernel, convolution_attributes(inputs.rank(), {}, 1)));
}

Tensor conv_transpose(const Tensor& inputs, const Tensor& kernel, const ConvTransposeOptions& options) {
  require_spatial_rank(inputs.rank());
  if (kernel.rank() > 0) require_kernel_channels(inputs.shape(), kernel.shape()[-1], options.data_format);
  const Shape shape = conv_transpose_output_shape(inputs.shape(), kernel.shape(), options);
  const image::ImageBatch batch(inputs, options.data_format, inputs.rank());
  const auto axes = static_cast<std::size_t>(inputs.rank()) - 2;
  const Shape lengths =
      image::has_channels_first(options.data_format) ? shape.slice(2, shape.rank()) : shape.slice(1, shape.rank() - 1);
  return batch.restored(transposed_convolution(batch.images(), kernel,
                                               {.strides = options.strides.for_axes(axes, "strides"),
                                                .padding = padding_from_name(options.padding),
                                                .dilation_rate = options.dilation_rate.for_axes(axes, "dilation_rate"),
                                                .lengths = {lengths.begin(), lengths.end()}}));
}

}  // namespace ops
}  // namespace rhyton
