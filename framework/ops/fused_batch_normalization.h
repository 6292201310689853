#pragma once

#include <rhyton/framework/ops/epilogue.h>
#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

// Batch normalisation and the ops after it as one op. Created by passes over a differentiated graph; these ops have no
// derivatives of their own. Types are those of BatchNormalizationOp.

/// Inputs x [..., C], mean, variance, gamma, beta [C] and, optionally, side_input of x's shape ->
/// activation(normalize_batch(x) + side_input). Each of the three results is rounded to x's type, as separate ops
/// do.
class FusedBatchNormalizationOp final : public Op {
 public:
  FusedBatchNormalizationOp(Epilogue activation, double epsilon) : activation(activation), epsilon(epsilon) {}
  std::string_view name() const override { return "FusedBatchNormalization"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

  const Epilogue activation;
  const double epsilon;
};

/// Inputs dy, x [..., C], mean, variance, gamma, beta [C] -> the results of BatchNormalizationSumsOp for dy where
/// normalize_batch(x), rounded to x's type, is positive, and for 0 elsewhere: dy is the gradient of its ReLU, whose
/// result is recomputed instead of read.
class FusedBatchNormalizationSumsOp final : public Op {
 public:
  explicit FusedBatchNormalizationSumsOp(double epsilon) : epsilon(epsilon) {}
  std::string_view name() const override { return "FusedBatchNormalizationSums"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

  const double epsilon;
};

/// Inputs dy, x [..., C], mean, variance, gamma, beta [C], and the results of FusedBatchNormalizationSumsOp, [C] each
/// -> the result of BatchNormalizationInputGradientOp for that dy.
class FusedBatchNormalizationInputGradientOp final : public Op {
 public:
  FusedBatchNormalizationInputGradientOp(double epsilon, double count) : epsilon(epsilon), count(count) {}
  std::string_view name() const override { return "FusedBatchNormalizationInputGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

  const double epsilon;
  const double count;
};

}  // namespace ops
}  // namespace rhyton
