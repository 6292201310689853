#pragma once

#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

/// Inputs a_1 [..., M], gradient_1 [..., N], a_2, gradient_2, … -> [M, N]: the sum of the `matmul_kernel_gradient` of
/// each pair, whose other axes are equal. It is the gradient of weights that a function multiplies with several times,
/// as in each step of a loop. Created by passes over a differentiated graph; it has no derivative of its own.
class SummedKernelGradientsOp final : public Op {
 public:
  std::string_view name() const override { return "SummedMatMulKernelGradients"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
};

}  // namespace ops
}  // namespace rhyton
