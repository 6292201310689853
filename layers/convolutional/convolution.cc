#include <rhyton/layers/convolutional/convolution.h>

#include <cstddef>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::layers {
namespace {

/// The attributes of the last two axes.
Conv2DAttributes plane_attributes(const ConvolutionAttributes& attributes) {
  const std::size_t rows = attributes.strides.size() - 2;
  return {.strides = {attributes.strides[rows], attributes.strides[rows + 1]},
          .padding = attributes.padding,
          .dilation_rate = {attributes.dilation_rate[rows], attributes.dilation_rate[rows + 1]},
          .groups = attributes.groups};
}

Tensor convolution_of_lines(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& attributes) {
  const Tensor y = conv2d(expand_dims(x, 1), expand_dims(kernel, 0),
                          {.strides = {1, attributes.strides[0]},
                           .padding = attributes.padding,
                           .dilation_rate = {1, attributes.dilation_rate[0]},
                           .groups = attributes.groups});
  return squeeze(y, {1});
}

/// x with the elements at each place of the window along axis 1 as channels, those of a group side by side:
/// [N, depth, height, width, C] -> [N, depth', height, width, groups · window · C / groups].
Tensor window_as_channels(const Tensor& x, const WindowAxis& window, std::int64_t groups) {
  if (window.window == 1 && window.stride == 1) return x;
  const Tensor padded = window.pad_before + window.pad_after == 0
                            ? x
                            : pad(x, {{0, 0}, {window.pad_before, window.pad_after}, {0, 0}, {0, 0}, {0, 0}});
  const std::int64_t extent = (window.output - 1) * window.stride + 1;
  const Shape planes = x.shape().with(1, window.output);
  const Shape grouped = planes.slice(0, 4).concatenate({groups, planes[4] / groups});
  std::vector<Tensor> places;
  for (std::int64_t place = 0; place < window.window; ++place) {
    const std::int64_t begin = place * window.dilation;
    const Tensor planes_at_place = slice_axis(padded, 1, begin, begin + extent, window.stride);
    places.push_back(groups == 1 ? planes_at_place : reshape(planes_at_place, grouped));
  }
  if (groups == 1) return concatenate(places, -1);
  return reshape(concatenate(places, -1), planes.with(4, window.window * planes[4]));
}

Tensor convolution_of_volumes(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& attributes) {
  const Shape& window = kernel.shape();
  const WindowAxis depth(x.shape()[1], window[0], attributes.strides[0], attributes.dilation_rate[0],
                         attributes.padding);
  if (depth.output <= 0 || x.shape()[4] != window[3] * attributes.groups) {
    throw ValueError("A convolution with a kernel of shape " + window.to_string() + " and " +
                     std::to_string(attributes.groups) + " groups does not fit inputs of shape " +
                     x.shape().to_string() + ".");
  }
  const Tensor planes = window_as_channels(x, depth, attributes.groups);
  const Shape& shape = planes.shape();
  const Tensor images = reshape(planes, {shape[0] * shape[1], shape[2], shape[3], shape[4]});
  const Tensor plane_kernel =
      reshape(transpose(kernel, {1, 2, 0, 3, 4}), {window[1], window[2], window[0] * window[3], window[4]});
  const Tensor y = conv2d(images, plane_kernel, plane_attributes(attributes));
  return reshape(y, {shape[0], shape[1], y.shape()[1], y.shape()[2], y.shape()[3]});
}

}  // namespace

Tensor convolution(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& attributes) {
  switch (x.rank()) {
    case 3:
      return convolution_of_lines(x, kernel, attributes);
    case 4:
      return conv2d(x, kernel, plane_attributes(attributes));
    case 5:
      return convolution_of_volumes(x, kernel, attributes);
    default:
      throw ValueError("A convolution has one to three spatial axes. Received inputs of shape " +
                       x.shape().to_string() + ".");
  }
}

}  // namespace rhyton::layers
