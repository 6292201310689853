#pragma once

#include <rhyton/framework/ops/epilogue.h>
#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

/// The product of the matrices in the last two axes of `a` and `b`, either of them transposed first (`tf.matmul`,
/// `keras.ops.matmul`).
///
/// Shapes: [..., M, K] x [..., K, N] -> [..., M, N]. The leading axes are broadcast; with `b` of rank 2 and `a` not
/// transposed, `a` is one tall matrix (Dense on any rank). A vector that is not transposed is a row as `a` and a column
/// as `b`, and the result lacks its axis (`keras.ops.matmul`). Different dtypes are converted to one
/// (`tensor/result_type.h`); of integers the result is an integer. Throws InvalidArgumentError in TensorFlow's words
/// when ranks or lengths do not fit.
Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a = false, bool transpose_b = false);

/// [..., M] and [..., N] -> [M, N]: the products of the last axes summed over all others; the derivative of
/// `matmul(a, b)` with respect to a `b` of rank 2.
Tensor matmul_kernel_gradient(const Tensor& a, const Tensor& gradient);

/// Inputs a, b, each transposed in its last two axes if so set -> their product; see `matmul`.
class MatMulOp : public Op {
 public:
  explicit MatMulOp(bool transpose_a = false, bool transpose_b = false)
      : transpose_a_(transpose_a), transpose_b_(transpose_b) {}

  bool transpose_a() const { return transpose_a_; }
  bool transpose_b() const { return transpose_b_; }

  std::string_view name() const override { return "MatMul"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

 private:
  bool transpose_a_;
  bool transpose_b_;
};

/// Inputs a [..., M, K], b [K, N] (transposed: [N, K]) and, optionally, bias [N]: activation(a b + bias). Created by
/// passes over a differentiated graph; it has no derivative of its own.
class FusedMatMulOp final : public Op {
 public:
  explicit FusedMatMulOp(Epilogue activation, bool transpose_b = false)
      : activation_(activation), product_(false, transpose_b) {}

  Epilogue activation() const { return activation_; }
  bool transpose_b() const { return product_.transpose_b(); }

  std::string_view name() const override { return "FusedMatMul"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

 private:
  Epilogue activation_;
  MatMulOp product_;
};

/// Inputs a [..., M] and gradient [..., N], equal but for the last axis -> [M, N].
class MatMulKernelGradientOp final : public Op {
 public:
  std::string_view name() const override { return "MatMulKernelGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
};

}  // namespace ops
}  // namespace rhyton
