#pragma once

#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

/// Normalises x along its last axes, those of gamma, to mean 0 and variance 1 (epsilon is added to the variance),
/// multiplied by gamma plus beta: (x - mean) / √(variance + epsilon) · gamma + beta. gamma and beta have the shape of
/// those axes.
Tensor layer_normalization(const Tensor& x, const Tensor& gamma, const Tensor& beta, double epsilon);

// --- The ops whose attributes kernels read

/// The base of layer normalisation and its gradients: x, viewed as rows along its last axes, is one of the inputs.
class LayerNormalizationBaseOp : public Op {
 public:
  explicit LayerNormalizationBaseOp(double epsilon) : epsilon(epsilon) {}
  std::string attributes() const override;

  const double epsilon;
};

/// Inputs: x, gamma, beta.
class LayerNormalizationOp final : public LayerNormalizationBaseOp {
 public:
  using LayerNormalizationBaseOp::LayerNormalizationBaseOp;
  std::string_view name() const override { return "LayerNormalization"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
};

/// The gradients of x, gamma and beta, read and computed together. Inputs: dy, x, gamma. Outputs: dx, dgamma, dbeta; dx
/// follows the batch, while dgamma and dbeta are sums over it.
class LayerNormalizationGradOp final : public LayerNormalizationBaseOp {
 public:
  using LayerNormalizationBaseOp::LayerNormalizationBaseOp;
  std::string_view name() const override { return "LayerNormalizationGrad"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule output_batch_rule(std::size_t output, std::span<const TensorSpec> inputs,
                              std::span<const int> batch_axes) const override;
};

/// The gradient of x alone. Inputs: dy, x, gamma. Linear in dy · gamma.
class LayerNormalizationInputGradOp final : public LayerNormalizationBaseOp {
 public:
  using LayerNormalizationBaseOp::LayerNormalizationBaseOp;
  std::string_view name() const override { return "LayerNormalizationInputGrad"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
};

/// The gradients of gamma and beta alone, over the last `axes` axes. Inputs: dy, x. Outputs: dgamma, dbeta.
class LayerNormalizationParameterGradOp final : public LayerNormalizationBaseOp {
 public:
  LayerNormalizationParameterGradOp(double epsilon, int axes) : LayerNormalizationBaseOp(epsilon), axes(axes) {}
  std::string_view name() const override { return "LayerNormalizationParameterGrad"; }
  std::string attributes() const override;
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;

  const int axes;
};

}  // namespace ops
}  // namespace rhyton
