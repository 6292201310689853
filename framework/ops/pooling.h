#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/ops/window.h>

namespace rhyton {
inline namespace ops {

/// How a two-dimensional pooling window moves.
struct Pool2DAttributes {
  std::array<std::int64_t, 2> pool_size = {2, 2};
  std::array<std::int64_t, 2> strides = {2, 2};
  Padding padding = Padding::valid;

  friend bool operator==(const Pool2DAttributes&, const Pool2DAttributes&) = default;
  std::string to_string() const;
};

/// [N, H, W, C] -> [N, H', W', C]: the largest value of each window and channel (`keras.ops.max_pool`,
/// `tf.nn.max_pool2d`). Of equal values the first, row by row, gets the gradient; NaN is smaller than every number.
/// Floating dtypes and integers, which have no gradient. Throws ValueError in Keras's words when the output would be
/// negative, InvalidArgumentError for bool.
Tensor max_pool2d(const Tensor& x, const Pool2DAttributes& attributes = {});

/// The same with the position in the window (row * width + column) of each largest value: uint8, or int32 where a
/// window has more than 256 cells.
std::pair<Tensor, Tensor> max_pool2d_with_index(const Tensor& x, const Pool2DAttributes& attributes = {});

/// The mean of each window and channel over the cells inside the image (`keras.ops.average_pool`, `tf.nn.avg_pool2d`).
/// Floating dtypes.
Tensor average_pool2d(const Tensor& x, const Pool2DAttributes& attributes = {});

/// Input x; outputs {pooled, index}.
class MaxPool2DOp final : public Op {
 public:
  explicit MaxPool2DOp(const Pool2DAttributes& attributes = {}) : window_(attributes) {}
  const Pool2DAttributes& window() const { return window_; }

  std::string_view name() const override { return "MaxPool2D"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override { return window_.to_string(); }

 private:
  Pool2DAttributes window_;
};

/// Inputs dy, index -> dx [N, height, width, C]: each gradient is added to the cell of its index.
class MaxPool2DGradientOp final : public Op {
 public:
  MaxPool2DGradientOp(std::int64_t height, std::int64_t width, const Pool2DAttributes& attributes = {})
      : height_(height), width_(width), window_(attributes) {}
  std::int64_t height() const { return height_; }
  std::int64_t width() const { return width_; }
  const Pool2DAttributes& window() const { return window_; }

  std::string_view name() const override { return "MaxPool2DGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

 private:
  std::int64_t height_;
  std::int64_t width_;
  Pool2DAttributes window_;
};

/// Inputs x, index -> the cell of x at each index; the derivative of MaxPool2DGradient.
class MaxPool2DSelectOp final : public Op {
 public:
  explicit MaxPool2DSelectOp(const Pool2DAttributes& attributes = {}) : window_(attributes) {}
  const Pool2DAttributes& window() const { return window_; }

  std::string_view name() const override { return "MaxPool2DSelect"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override { return window_.to_string(); }

 private:
  Pool2DAttributes window_;
};

/// Input x.
class AveragePool2DOp final : public Op {
 public:
  explicit AveragePool2DOp(const Pool2DAttributes& attributes = {}) : window_(attributes) {}
  const Pool2DAttributes& window() const { return window_; }

  std::string_view name() const override { return "AveragePool2D"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override { return window_.to_string(); }

 private:
  Pool2DAttributes window_;
};

/// Input dy -> dx [N, height, width, C]: each gradient is divided evenly among the cells of its window.
class AveragePool2DGradientOp final : public Op {
 public:
  AveragePool2DGradientOp(std::int64_t height, std::int64_t width, const Pool2DAttributes& attributes = {})
      : height_(height), width_(width), window_(attributes) {}
  std::int64_t height() const { return height_; }
  std::int64_t width() const { return width_; }
  const Pool2DAttributes& window() const { return window_; }

  std::string_view name() const override { return "AveragePool2DGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

 private:
  std::int64_t height_;
  std::int64_t width_;
  Pool2DAttributes window_;
};

}  // namespace ops
}  // namespace rhyton
