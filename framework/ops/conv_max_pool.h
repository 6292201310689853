#pragma once

#include <cstdint>

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/pooling.h>

namespace rhyton {
inline namespace ops {

// A convolution and the max-pooling after it as one op: only the values that the pooling selects are stored, and the
// derivatives are computed from the pooled gradient, where each window contributes to one cell. Created by passes over
// a differentiated graph; these ops have no derivatives of their own.

/// The index for "no cell": values that the activation sets to zero pass no gradient.
constexpr std::int64_t no_cell(const Pool2DAttributes& pool) { return pool.pool_size[0] * pool.pool_size[1]; }

/// Inputs x, kernel and, optionally, bias [Cout]; outputs {max_pool2d(activation(conv2d(x, kernel) + bias)), index}.
///
/// The index (uint8) is the position in the window (row * width + column) of the largest value, or `no_cell` where the
/// result of ReLU is not positive. A window has at most 255 cells. Without `has_index` there is no such output: only
/// derivatives read it.
class FusedConv2DMaxPoolOp final : public Op {
 public:
  FusedConv2DMaxPoolOp(const FusedConv2DOp& convolution, const Pool2DAttributes& pool, bool has_index = true)
      : convolution_(convolution), pool_(pool), has_index_(has_index) {}
  const FusedConv2DOp& convolution() const { return convolution_; }
  const MaxPool2DOp& pool() const { return pool_; }
  bool has_index() const { return has_index_; }

  std::string_view name() const override { return "FusedConv2DMaxPool"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

 private:
  FusedConv2DOp convolution_;
  MaxPool2DOp pool_;
  bool has_index_;
};

/// Inputs kernel, dy (of the pooled output), index -> dx [N, height, width, Cin].
class Conv2DMaxPoolInputGradientOp final : public Op {
 public:
  Conv2DMaxPoolInputGradientOp(std::int64_t height, std::int64_t width, const Conv2DAttributes& window,
                               const Pool2DAttributes& pool)
      : height_(height), width_(width), window_(window), pool_(pool) {}
  const Conv2DAttributes& window() const { return window_; }
  const Pool2DAttributes& pool() const { return pool_; }

  std::string_view name() const override { return "Conv2DMaxPoolInputGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;
  DType kernel_dtype(std::span<const TensorSpec> inputs) const override { return inputs[1].dtype; }

 private:
  std::int64_t height_;
  std::int64_t width_;
  Conv2DAttributes window_;
  Pool2DAttributes pool_;
};

/// Inputs x, dy (of the pooled output), index -> the gradients of the kernel [kernel_height, kernel_width,
/// Cin / groups, Cout] and of the bias [Cout].
class Conv2DMaxPoolKernelGradientOp final : public Op {
 public:
  Conv2DMaxPoolKernelGradientOp(std::int64_t kernel_height, std::int64_t kernel_width, const Conv2DAttributes& window,
                                const Pool2DAttributes& pool)
      : kernel_height_(kernel_height), kernel_width_(kernel_width), window_(window), pool_(pool) {}
  const Conv2DAttributes& window() const { return window_; }
  const Pool2DAttributes& pool() const { return pool_; }

  std::string_view name() const override { return "Conv2DMaxPoolKernelGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

 private:
  std::int64_t kernel_height_;
  std::int64_t kernel_width_;
  Conv2DAttributes window_;
  Pool2DAttributes pool_;
};

}  // namespace ops
}  // namespace rhyton
