#include <rhyton/layers/convolutional/convolution_window.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/window_shapes.h>
#include <rhyton/layers/input_spec.h>

namespace rhyton::layers {
namespace {

/// As Python prints a tuple.
std::string tuple_text(const std::vector<std::int64_t>& values) { return Shape(values).to_string(); }

std::int64_t largest(const std::vector<std::int64_t>& values) {
  return *std::max_element(values.begin(), values.end());
}

/// Lines with zeros before them, so that each output depends on its own element and those before. The first taps of the
/// kernel, which would read zeros only, are left out: they would need memory in proportion to their distance.
std::pair<Tensor, Tensor> causal_parts(const Tensor& lines, const Tensor& kernel, std::int64_t dilation) {
  const std::int64_t length = lines.shape()[1];
  const std::int64_t taps = kernel.shape()[0];
  const std::int64_t reached = std::clamp<std::int64_t>((length - 1) / dilation + 1, 1, taps);
  const Tensor last_taps = reached == taps ? kernel : slice_axis(kernel, 0, taps - reached, taps);
  const std::int64_t before = (reached - 1) * dilation;
  return {before == 0 ? lines : pad(lines, {{0, 0}, {before, 0}, {0, 0}}), last_taps};
}

}  // namespace

std::int64_t ConvolutionWindow::largest_stride() const { return largest(strides); }

void ConvolutionWindow::require_strides_or_dilation() const {
  if (largest(strides) <= 1 || largest(dilation_rate) <= 1) return;
  throw ValueError("`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=" +
                   tuple_text(strides) + " and dilation_rate=" + tuple_text(dilation_rate));
}

void ConvolutionWindow::check_channels(const LayerImpl& layer, const std::vector<Shape>& inputs,
                                       std::int64_t known_channels) const {
  InputSpec spec{.min_ndim = rank() + 2};
  if (known_channels >= 0) spec.axes = {{layout.channel_axis(), known_channels}};
  check_input(layer, inputs, spec);
}

void ConvolutionWindow::check_lengths(const Shape& images, std::int64_t filters) const {
  const Shape kernel = kernel_shape(channels(images), filters);
  if (images.rank() != rank() + 2) {
    throw ValueError("Kernel shape must have the same length as input, but received kernel of shape " +
                     kernel.to_string() + " and input of shape " + images.to_string() + ".");
  }
  for (int i = 0; i < rank(); ++i) {
    const auto axis = static_cast<std::size_t>(i);
    const std::int64_t length = images[layout.first_spatial_axis() + i];
    const std::int64_t extent = window_extent(kernel_size[axis], dilation_rate[axis]);
    if (padding == Padding::same || is_causal || length < 0 || length >= extent) continue;
    throw ValueError("Computed output size would be zero or negative. Received `inputs shape=" + images.to_string() +
                     "`, `kernel shape=" + kernel.to_string() + "`, `dilation_rate=" + array_text(dilation_rate) +
                     "`, `strides=" + tuple_text(strides) + "`, `padding=" + padding_name() + "`.");
  }
}

Tensor ConvolutionWindow::convolve(const Tensor& images, const Tensor& kernel, std::int64_t groups) const {
  const ConvolutionAttributes attributes = {
      .strides = strides, .padding = padding, .dilation_rate = dilation_rate, .groups = groups};
  if (!is_causal) return convolution(images, kernel, attributes);
  const auto [lines, taps] = causal_parts(images, kernel, dilation_rate.front());
  return convolution(lines, taps, attributes);
}

ConvolutionPadding::ConvolutionPadding(const std::string& name, bool allows_causal) {
  if (!allows_causal) {
    padding = window_padding(name);
    return;
  }
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  is_causal = lower == "causal";
  if (!is_causal && lower != "valid" && lower != "same") {
    throw ValueError("The `padding` argument must be a list/tuple or one of {'causal', 'same', 'valid'}. Received: " +
                     lower);
  }
  padding = lower == "same" ? Padding::same : Padding::valid;
}

void require_positive_count(const std::string& argument, std::int64_t value) {
  if (value > 0) return;
  throw ValueError("Invalid value for argument `" + argument + "`. Expected a strictly positive value. Received " +
                   argument + "=" + std::to_string(value) + ".");
}

}  // namespace rhyton::layers
