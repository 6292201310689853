#include <rhyton/framework/ops/transposed_convolution.h>

#include <algorithm>
#include <cstddef>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

/// How x is spread along one axis: element i times tap k goes to i · stride + k · dilation - cropped.
struct SpreadAxis {
  SpreadAxis(std::int64_t input, std::int64_t window, std::int64_t stride, std::int64_t dilation, Padding padding,
             std::int64_t output)
      : input(input), stride(stride), dilation(dilation), output(output), last(window) {
    const WindowAxis forward(output, window, stride, dilation, padding);
    is_forward = forward.output == input;
    if (padding == Padding::same && input > 0) {
      cropped = std::max<std::int64_t>(0, (input - 1) * stride + window_extent(window, dilation) - output) / 2;
    }
    // A window of taps that do not reach the output is one tap.
    while (last > 1 && (last - 1) * dilation - cropped >= output) --last;
    while (first + 1 < last && first * dilation - cropped + (input - 1) * stride < 0) ++first;
    has_all_taps = first == 0 && last == window;
  }
  /// The length that x spreads over with the taps that reach the output.
  std::int64_t extent() const { return input == 0 ? 0 : (input - 1) * stride + (last - 1 - first) * dilation + 1; }

  std::int64_t input;
  std::int64_t stride;
  std::int64_t dilation;
  std::int64_t output;
  std::int64_t cropped = 0;
  /// The taps that reach the output, before `last`.
  std::int64_t first = 0;
  std::int64_t last;
  /// Whether a convolution of the output has the length of the input.
  bool is_forward = false;
  bool has_all_taps = false;
};

/// The part of a spread axis that is the output, zeros where nothing is spread to.
Tensor output_part(const Tensor& x, int axis, const SpreadAxis& spread) {
  const std::int64_t length = x.shape()[axis];
  const std::int64_t offset = spread.cropped - spread.first * spread.dilation;
  const std::int64_t begin = std::clamp<std::int64_t>(offset, 0, length);
  const std::int64_t end = std::clamp<std::int64_t>(offset + spread.output, begin, length);
  Tensor part = begin == 0 && end == length ? x : slice_axis(x, axis, begin, end);
  if (end - begin == spread.output) return part;
  const std::int64_t before = end == begin ? 0 : std::max<std::int64_t>(0, -offset);
  std::vector<std::pair<std::int64_t, std::int64_t>> paddings(static_cast<std::size_t>(x.rank()), {0, 0});
  paddings[static_cast<std::size_t>(axis)] = {before, spread.output - (end - begin) - before};
  return pad(part, paddings);
}

/// Images spread over their whole extents.
Tensor spread_images(const Tensor& x, const Tensor& kernel, const SpreadAxis& rows, const SpreadAxis& columns) {
  return conv2d_input_gradient(
      kernel, x, rows.extent(), columns.extent(),
      {.strides = {rows.stride, columns.stride}, .dilation_rate = {rows.dilation, columns.dilation}});
}

/// Elements along axis 1 with `stride` - 1 zeros between them.
Tensor with_gaps(const Tensor& x, std::int64_t stride) {
  const Shape& shape = x.shape();
  if (stride == 1 || shape[1] < 2) return x;
  const Shape rest = shape.slice(2, shape.rank());
  std::vector<std::pair<std::int64_t, std::int64_t>> paddings(static_cast<std::size_t>(shape.rank()) + 1, {0, 0});
  paddings[2] = {0, stride - 1};
  const Tensor padded = pad(expand_dims(x, 2), paddings);
  const Tensor joined = reshape(padded, Shape({shape[0], shape[1] * stride}).concatenate(rest));
  return slice_axis(joined, 1, 0, (shape[1] - 1) * stride + 1);
}

/// Volumes spread over their whole extents: planes, with the taps of the first axis as channels, whose sum it is.
Tensor spread_volumes(const Tensor& x, const Tensor& kernel, const std::vector<SpreadAxis>& axes) {
  const Shape& shape = x.shape();
  const Shape& window = kernel.shape();
  const Tensor images = reshape(x, {shape[0] * shape[1], shape[2], shape[3], shape[4]});
  const Tensor plane_kernel =
      reshape(transpose(kernel, {1, 2, 0, 3, 4}), {window[1], window[2], window[0] * window[3], window[4]});
  const Tensor planes = spread_images(images, plane_kernel, axes[1], axes[2]);
  const std::int64_t rows = planes.shape()[1];
  const std::int64_t columns = planes.shape()[2];
  const Tensor volumes = reshape(planes, {shape[0], shape[1], rows, columns, window[0] * window[3]});
  Tensor total;
  for (std::int64_t tap = 0; tap < window[0]; ++tap) {
    const Tensor part = with_gaps(slice_axis(volumes, 4, tap * window[3], (tap + 1) * window[3]), axes[0].stride);
    const std::int64_t before = tap * axes[0].dilation;
    const std::int64_t after = axes[0].extent() - part.shape()[1] - before;
    const Tensor placed = before + after == 0 ? part : pad(part, {{0, 0}, {before, after}, {0, 0}, {0, 0}, {0, 0}});
    total = total.is_empty() ? placed : add(total, placed);
  }
  return total;
}

}  // namespace

std::int64_t transposed_length(std::int64_t input, std::int64_t window, std::int64_t stride, std::int64_t dilation,
                               Padding padding, std::optional<std::int64_t> output_padding) {
  const std::int64_t extent = window_extent(window, dilation);
  const std::int64_t last = checked_multiply(input - 1, stride);
  if (padding == Padding::valid) {
    return checked_add(last, output_padding ? checked_add(extent, *output_padding) : std::max(extent, stride));
  }
  return checked_add(last, output_padding ? checked_add(extent % 2, *output_padding) : stride);
}

Tensor transposed_convolution(const Tensor& x, const Tensor& kernel,
                              const TransposedConvolutionAttributes& attributes) {
  const int rank = x.rank() - 2;
  if (rank < 1 || rank > 3 || kernel.rank() != x.rank()) {
    throw ValueError("A transposed convolution has one to three spatial axes. Received inputs of shape " +
                     x.shape().to_string() + " and a kernel of shape " + kernel.shape().to_string() + ".");
  }
  if (rank == 1) {
    const Tensor y = transposed_convolution(expand_dims(x, 1), expand_dims(kernel, 0),
                                            {.strides = {1, attributes.strides.at(0)},
                                             .padding = attributes.padding,
                                             .dilation_rate = {1, attributes.dilation_rate.at(0)},
                                             .lengths = {1, attributes.lengths.at(0)}});
    return squeeze(y, {1});
  }
  std::vector<SpreadAxis> axes;
  for (int i = 0; i < rank; ++i) {
    const auto entry = static_cast<std::size_t>(i);
    axes.emplace_back(x.shape()[i + 1], kernel.shape()[i], attributes.strides.at(entry),
                      attributes.dilation_rate.at(entry), attributes.padding, attributes.lengths.at(entry));
  }
  const bool is_gradient = std::all_of(axes.begin(), axes.end(),
                                       [](const SpreadAxis& axis) { return axis.is_forward && axis.has_all_taps; });
  if (rank == 2 && is_gradient) {
    return conv2d_input_gradient(kernel, x, axes[0].output, axes[1].output,
                                 {.strides = {axes[0].stride, axes[1].stride},
                                  .padding = attributes.padding,
                                  .dilation_rate = {axes[0].dilation, axes[1].dilation}});
  }
  // Taps that do not reach the output would need memory in proportion to their distance.
  Tensor taps = kernel;
  for (int i = 0; i < rank; ++i) {
    const SpreadAxis& axis = axes[static_cast<std::size_t>(i)];
    if (!axis.has_all_taps) taps = slice_axis(taps, i, axis.first, axis.last);
  }
  Tensor y = rank == 2 ? spread_images(x, taps, axes[0], axes[1]) : spread_volumes(x, taps, axes);
  for (int i = 0; i < rank; ++i) y = output_part(y, i + 1, axes[static_cast<std::size_t>(i)]);
  return y;
}

}  // namespace ops
}  // namespace rhyton
