#pragma once

#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
inline namespace ops {

/// The result of batch normalisation, and the statistics it used.
struct BatchNormalized {
  Tensor y;
  /// Per channel over all other axes, [C]; float32 where x has a half type.
  Tensor mean;
  Tensor variance;
};

/// (x - mean) / √(variance + epsilon) · scale + offset with given statistics, one element of each for each element of
/// x's `axis` (`keras.ops.batch_normalization`, https://keras.io/api/ops/nn/#batchnormalization-function). Offset and
/// scale may be empty. The result has x's dtype. Differentiable any number of times. Throws ValueError for an axis out
/// of range and where lengths differ.
Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance, int axis,
                           const Tensor& offset = {}, const Tensor& scale = {}, double epsilon = 1e-3);

/// Normalises x [..., C] to mean 0 and variance 1 in each channel (epsilon is added to the variance), multiplied by
/// gamma [C] plus beta [C] (Ioffe and Szegedy, arXiv:1502.03167; `keras.layers.BatchNormalization` in training).
/// Differentiable once, as the derivative is computed from sums over the whole batch; no gradient flows through mean
/// and variance outputs. x of a half type is converted to float32, as are gamma and beta, and y is rounded to that
/// type.
BatchNormalized normalize_batch(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon);

// --- The ops used by kernels and passes. Where x (and with it dy and y) has a half type, all values per channel are
// float32.

/// Input x [..., C] -> mean and biased variance over all axes but the last, each [C].
class ChannelMomentsOp final : public Op {
 public:
  std::string_view name() const override { return "ChannelMoments"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
};

/// The result of ChannelMomentsOp, computed from sums: those of slices of a batch can be added up.
Moments channel_moments_from_sums(const Tensor& x);

/// Inputs x [..., C], mean [C] -> the sum of (x - mean)² over all axes but the last.
class SquaredDeviationOp final : public Op {
 public:
  std::string_view name() const override { return "SquaredDeviation"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
};

/// Inputs x [..., C], mean, variance, gamma, beta [C] -> (x - mean) / √(variance + epsilon) · gamma + beta. In its
/// derivative mean and variance are those of x.
class BatchNormalizationOp final : public Op {
 public:
  explicit BatchNormalizationOp(double epsilon) : epsilon(epsilon) {}
  std::string_view name() const override { return "BatchNormalization"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const double epsilon;
};

/// Inputs dy, x [..., C], mean [C] -> the sums of dy and of dy · (x - mean) over all axes but the last.
class BatchNormalizationSumsOp final : public Op {
 public:
  std::string_view name() const override { return "BatchNormalizationSums"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
};

/// Inputs dy, x [..., C], mean, variance, gamma [C], and the results of BatchNormalizationSums, [C] each -> the
/// gradient of x where the statistics are those of x, over `count` numbers per channel. A linear function of dy and x.
class BatchNormalizationInputGradientOp final : public Op {
 public:
  BatchNormalizationInputGradientOp(double epsilon, double count) : epsilon(epsilon), count(count) {}
  std::string_view name() const override { return "BatchNormalizationInputGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

  const double epsilon;
  /// For the whole batch; a call may process a slice of it.
  const double count;
};

/// The result of that op, computed by elementwise ops.
Tensor batch_normalization_input_gradient(const std::vector<Tensor>& inputs, double epsilon, double count);

/// The factor and the offset of x: gamma / √(variance + epsilon), and beta - mean · factor.
std::pair<Tensor, Tensor> batch_normalization_line(const Tensor& mean, const Tensor& variance, const Tensor& gamma,
                                                   const Tensor& beta, double epsilon);

}  // namespace ops
}  // namespace rhyton
