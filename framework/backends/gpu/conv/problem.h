#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// What a convolution computes: its output, or one of its two derivatives.
enum class ConvolutionDirection { forward, input_gradient, kernel_gradient };

/// All lengths of one convolution; pairs are rows, columns. A plain value, a key of caches and an argument of kernels.
struct ConvolutionProblem {
  DType dtype = DType::float32;
  std::int64_t images = 0;
  std::int64_t channels = 0;
  std::int64_t filters = 0;
  std::int64_t groups = 1;
  std::array<std::int64_t, 2> input = {};
  std::array<std::int64_t, 2> kernel = {};
  std::array<std::int64_t, 2> output = {};
  std::array<std::int64_t, 2> strides = {1, 1};
  std::array<std::int64_t, 2> dilation = {1, 1};
  std::array<std::int64_t, 2> pad_before = {};
  std::array<std::int64_t, 2> pad_after = {};

  ConvolutionProblem() = default;
  /// Of images [N, H, W, Cin] and a kernel [KH, KW, Cin / groups, Cout].
  ConvolutionProblem(DType dtype, const Shape& x, const Shape& kernel, const Conv2DAttributes& attributes);

  std::int64_t group_channels() const { return channels / groups; }
  std::int64_t group_filters() const { return filters / groups; }
  std::int64_t taps() const { return kernel[0] * kernel[1]; }
  /// Weights per filter.
  std::int64_t depth() const { return taps() * group_channels(); }
  /// Positions of the window in all images.
  std::int64_t output_pixels() const { return images * output[0] * output[1]; }
  std::int64_t input_pixels() const { return images * input[0] * input[1]; }
  std::int64_t x_size() const { return input_pixels() * channels; }
  std::int64_t y_size() const { return output_pixels() * filters; }
  std::int64_t kernel_size() const { return depth() * filters; }
  /// Whether some tensor has no elements.
  bool is_empty() const { return x_size() == 0 || y_size() == 0 || kernel_size() == 0; }
  /// Whether offsets into all tensors, and numbers of pixels, fit into 32 bits with a margin.
  bool fits_32_bits() const;

  /// Whether there are equally many zeros before and after the images, the only padding that cuDNN supports.
  bool is_symmetric() const { return pad_before == pad_after; }
  /// The same convolution of images that include the additional rows and columns of zeros of `pad_after`: a symmetric
  /// problem.
  ConvolutionProblem with_padded_input() const;

  friend bool operator==(const ConvolutionProblem&, const ConvolutionProblem&) = default;
};

/// The problem of an op for tensors of these specs, with or without the OHWI kernel layout; throws if it is none of the
/// four convolution ops.
ConvolutionProblem convolution_problem(const Op& op, Kernel::Specs inputs, Kernel::Specs outputs);
ConvolutionDirection convolution_direction(const Op& op);

struct ConvolutionProblemHash {
  std::size_t operator()(const ConvolutionProblem& problem) const;
};

}  // namespace rhyton::gpu
