#pragma once

#include <array>
#include <cstdint>

#include <rhyton/framework/ops/epilogue.h>
#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/ops/window.h>

namespace rhyton {
inline namespace ops {

/// How the window of a two-dimensional convolution moves; Keras's `strides`, `padding`, `dilation_rate` and `groups`.
struct Conv2DAttributes {
  std::array<std::int64_t, 2> strides = {1, 1};
  Padding padding = Padding::valid;
  std::array<std::int64_t, 2> dilation_rate = {1, 1};
  std::int64_t groups = 1;

  friend bool operator==(const Conv2DAttributes&, const Conv2DAttributes&) = default;
  std::string to_string() const;
};

/// How a convolution is computed. The results differ by rounding only.
enum class ConvAlgorithm {
  /// Each output is the sum over its window.
  direct,
  /// Lavin and Gray's minimal filtering (arXiv:1509.09308): tiles of 2 x 2 outputs of a 3 x 3 kernel take 16 products
  /// instead of 36, 2 of a 1 x 5 kernel 6 instead of 10; about as exact as the direct form.
  winograd,
  /// The same with 4 outputs along each axis: 36 products instead of 144, and about four times the rounding error.
  fast_winograd,
};

std::string_view name_of(ConvAlgorithm algorithm);

/// The convolution of images with a kernel (`keras.ops.conv`, `tf.nn.conv2d`).
///
/// x [N, H, W, Cin], kernel [KH, KW, Cin / groups, Cout] -> [N, H', W', Cout]. With `groups`, channels are divided into
/// that many consecutive groups, each convolved with its own filters; groups = Cin is a depthwise convolution. Throws
/// ValueError in Keras's words when the output would be negative, InvalidArgumentError when channels or dtypes do not
/// fit.
Tensor conv2d(const Tensor& x, const Tensor& kernel, const Conv2DAttributes& attributes = {});

/// The derivative of `conv2d` with respect to its images, of the given height and width; with a kernel
/// [KH, KW, Cout, Cin] it is the transposed convolution (`keras.ops.conv_transpose`, `tf.nn.conv2d_transpose`).
///
/// kernel [KH, KW, Cin / groups, Cout], dy [N, H', W', Cout] -> [N, height, width, Cin].
Tensor conv2d_input_gradient(const Tensor& kernel, const Tensor& dy, std::int64_t height, std::int64_t width,
                             const Conv2DAttributes& attributes = {});

/// The derivative of `conv2d` with respect to a kernel of the given height and width.
///
/// x [N, H, W, Cin], dy [N, H', W', Cout] -> [kernel_height, kernel_width, Cin / groups, Cout].
Tensor conv2d_kernel_gradient(const Tensor& x, const Tensor& dy, std::int64_t kernel_height, std::int64_t kernel_width,
                              const Conv2DAttributes& attributes = {});

/// Inputs x, kernel.
class Conv2DOp final : public Op {
 public:
  explicit Conv2DOp(const Conv2DAttributes& attributes = {}) : window_(attributes) {}
  const Conv2DAttributes& window() const { return window_; }

  std::string_view name() const override { return "Conv2D"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override { return window_.to_string(); }

 private:
  Conv2DAttributes window_;
};

/// Inputs x, kernel and, optionally, bias [Cout]: activation(conv2d(x, kernel) + bias). Created by passes over a
/// differentiated graph; it has no derivative of its own.
class FusedConv2DOp final : public Op {
 public:
  explicit FusedConv2DOp(Epilogue activation, const Conv2DAttributes& attributes = {},
                         ConvAlgorithm algorithm = ConvAlgorithm::direct)
      : activation_(activation), window_(attributes), algorithm_(algorithm) {}
  const Conv2DAttributes& window() const { return window_; }
  Epilogue activation() const { return activation_; }
  ConvAlgorithm algorithm() const { return algorithm_; }

  std::string_view name() const override { return "FusedConv2D"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

 private:
  Epilogue activation_;
  Conv2DAttributes window_;
  ConvAlgorithm algorithm_;
};

/// Inputs kernel, dy.
class Conv2DInputGradientOp final : public Op {
 public:
  Conv2DInputGradientOp(std::int64_t height, std::int64_t width, const Conv2DAttributes& attributes = {},
                        ConvAlgorithm algorithm = ConvAlgorithm::direct)
      : height_(height), width_(width), window_(attributes), algorithm_(algorithm) {}
  std::int64_t height() const { return height_; }
  std::int64_t width() const { return width_; }
  const Conv2DAttributes& window() const { return window_; }
  ConvAlgorithm algorithm() const { return algorithm_; }

  std::string_view name() const override { return "Conv2DInputGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;
  DType kernel_dtype(std::span<const TensorSpec> inputs) const override { return inputs[1].dtype; }

 private:
  std::int64_t height_;
  std::int64_t width_;
  Conv2DAttributes window_;
  ConvAlgorithm algorithm_;
};

/// Inputs x, dy.
class Conv2DKernelGradientOp final : public Op {
 public:
  Conv2DKernelGradientOp(std::int64_t kernel_height, std::int64_t kernel_width, const Conv2DAttributes& attributes = {},
                         ConvAlgorithm algorithm = ConvAlgorithm::direct)
      : kernel_height_(kernel_height), kernel_width_(kernel_width), window_(attributes), algorithm_(algorithm) {}
  std::int64_t kernel_height() const { return kernel_height_; }
  std::int64_t kernel_width() const { return kernel_width_; }
  const Conv2DAttributes& window() const { return window_; }
  ConvAlgorithm algorithm() const { return algorithm_; }

  std::string_view name() const override { return "Conv2DKernelGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

 private:
  std::int64_t kernel_height_;
  std::int64_t kernel_width_;
  Conv2DAttributes window_;
  ConvAlgorithm algorithm_;
};

}  // namespace ops
}  // namespace rhyton
