#pragma once

#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
inline namespace ops {

/// What batch normalisation gives, and the statistics it has used.
struct BatchNormalized {
  Tensor y;
  /// Of each channel over all other axes, [C]; float32 where x has a half type.
  Tensor mean;
  Tensor variance;
};

/// x [..., C] with mean 0 and variance 1 in each channel (the variance raised by epsilon), times gamma [C] plus beta
/// [C] (Ioffe and Szegedy, arXiv:1502.03167; `keras.layers.BatchNormalization` in training). Differentiable once, as
/// the derivative runs from sums over the whole batch; mean and variance pass no gradient of their own. x of a half
/// type is computed with in float32, as are gamma and beta, and y is rounded to that type.
BatchNormalized batch_normalization(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon);

// --- The ops that kernels and passes read. Where x (and with it dy and y) has a half type, all that is per channel is
// float32.
// ---------------------------------------------------------------------------------

/// Input x [..., C] -> mean and biased variance over all axes but the last, each [C].
class ChannelMomentsOp final : public Op {
 public:
  std::string_view name() const override { return "ChannelMoments"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
};

/// What ChannelMomentsOp gives, from sums: those of slices of a batch can be added up.
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

/// Inputs dy, x [..., C], mean, variance, gamma [C], and the sums that BatchNormalizationSums gives, [C] each -> the
/// gradient of x for statistics that are those of x, over `count` numbers per channel. A line in dy and x.
class BatchNormalizationInputGradientOp final : public Op {
 public:
  BatchNormalizationInputGradientOp(double epsilon, double count) : epsilon(epsilon), count(count) {}
  std::string_view name() const override { return "BatchNormalizationInputGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

  const double epsilon;
  /// The whole batch, of which a call may see a slice.
  const double count;
};

/// What that op gives, from elementwise ops.
Tensor batch_normalization_input_gradient(const std::vector<Tensor>& inputs, double epsilon, double count);

/// What x is multiplied with and what is added then: gamma / √(variance + epsilon), and beta - mean · that.
std::pair<Tensor, Tensor> batch_normalization_line(const Tensor& mean, const Tensor& variance, const Tensor& gamma,
                                                   const Tensor& beta, double epsilon);

}  // namespace ops
}  // namespace rhyton
