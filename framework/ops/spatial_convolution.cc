#include <rhyton/framework/ops/spatial_convolution.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

[[noreturn]] void throw_unfit(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& attributes) {
  throw ValueError("A convolution with a kernel of shape " + kernel.shape().to_string() + " and " +
                   std::to_string(attributes.groups) + " groups does not fit inputs of shape " + x.shape().to_string() +
                   ".");
}

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

/// Where the places of a window along an axis read elements: those from `first` to before `last` do, at some position.
struct ReadingPlaces {
  explicit ReadingPlaces(const WindowAxis& axis) {
    // A window of padding only is one place that reads nothing.
    last = axis.window;
    while (last > 1 && shift(axis, last - 1) >= axis.input) --last;
    while (first + 1 < last && shift(axis, first) + (axis.output - 1) * axis.stride < 0) ++first;
  }
  static std::int64_t shift(const WindowAxis& axis, std::int64_t place) {
    return place * axis.dilation - axis.pad_before;
  }
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// The elements along axis 1 that a place of the window reads at all of its positions, zeros where that is padding.
Tensor elements_at(const Tensor& x, const WindowAxis& axis, std::int64_t place) {
  const std::int64_t shift = ReadingPlaces::shift(axis, place);
  const std::int64_t before = std::min(axis.output, shift >= 0 ? 0 : (-shift + axis.stride - 1) / axis.stride);
  const std::int64_t end =
      shift >= axis.input ? before : std::clamp((axis.input - 1 - shift) / axis.stride + 1, before, axis.output);
  const std::int64_t begin = before == end ? 0 : shift + before * axis.stride;
  const std::int64_t stop = before == end ? 0 : shift + (end - 1) * axis.stride + 1;
  Tensor read = slice_axis(x, 1, begin, stop, axis.stride);
  if (end - before == axis.output) return read;
  return pad(read, {{0, 0}, {before, axis.output - end}, {0, 0}, {0, 0}, {0, 0}});
}

/// x with the elements at these places of the window along axis 1 as channels, those of a group side by side:
/// [N, depth, height, width, C] -> [N, depth', height, width, groups · places · C / groups].
Tensor window_as_channels(const Tensor& x, const WindowAxis& window, const ReadingPlaces& reading,
                          std::int64_t groups) {
  if (window.window == 1 && window.stride == 1) return x;
  const Shape planes = x.shape().with(1, window.output);
  const Shape grouped = planes.slice(0, 4).concatenate({groups, planes[4] / groups});
  std::vector<Tensor> places;
  for (std::int64_t place = reading.first; place < reading.last; ++place) {
    const Tensor planes_at_place = elements_at(x, window, place);
    places.push_back(groups == 1 ? planes_at_place : reshape(planes_at_place, grouped));
  }
  if (groups == 1) return concatenate(places, -1);
  return reshape(concatenate(places, -1), planes.with(4, (reading.last - reading.first) * planes[4]));
}

Tensor convolution_of_volumes(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& attributes) {
  const Shape& window = kernel.shape();
  if (window.rank() != 5 || attributes.groups < 1 || x.shape()[4] / attributes.groups != window[3] ||
      x.shape()[4] % attributes.groups != 0) {
    throw_unfit(x, kernel, attributes);
  }
  const WindowAxis depth(x.shape()[1], window[0], attributes.strides[0], attributes.dilation_rate[0],
                         attributes.padding);
  if (depth.output < 0 || (depth.output == 0 && x.shape()[1] > 0)) throw_unfit(x, kernel, attributes);
  // The other places would need memory in proportion to the padding.
  const ReadingPlaces reading(depth);
  const std::int64_t places = reading.last - reading.first;
  const Tensor planes = window_as_channels(x, depth, reading, attributes.groups);
  const Tensor read_kernel = places == window[0] ? kernel : slice_axis(kernel, 0, reading.first, reading.last);
  const Shape& shape = planes.shape();
  const Tensor images = reshape(planes, {shape[0] * shape[1], shape[2], shape[3], shape[4]});
  const Tensor plane_kernel =
      reshape(transpose(read_kernel, {1, 2, 0, 3, 4}), {window[1], window[2], places * window[3], window[4]});
  const Tensor y = conv2d(images, plane_kernel, plane_attributes(attributes));
  return reshape(y, {shape[0], shape[1], y.shape()[1], y.shape()[2], y.shape()[3]});
}

void require_entry_per_axis(const char* argument, const std::vector<std::int64_t>& entries, const Tensor& x) {
  if (static_cast<int>(entries.size()) == x.rank() - 2) return;
  throw ValueError("The `" + std::string(argument) +
                   "` of a convolution must have one entry per spatial axis. Received " + argument + " with " +
                   std::to_string(entries.size()) + " entries for inputs of shape " + x.shape().to_string() + ".");
}

}  // namespace

Tensor convolution(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& attributes) {
  if (x.rank() >= 3 && x.rank() <= 5) {
    require_entry_per_axis("strides", attributes.strides, x);
    require_entry_per_axis("dilation_rate", attributes.dilation_rate, x);
  }
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

Tensor depthwise_as_grouped(const Tensor& kernel) {
  const Shape& shape = kernel.shape();
  const int axes = shape.rank() - 2;
  return reshape(kernel, shape.slice(0, axes).concatenate({1, checked_multiply(shape[axes], shape[axes + 1])}));
}

}  // namespace ops
}  // namespace rhyton
