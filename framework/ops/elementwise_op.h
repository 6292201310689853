#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

namespace rhyton {

/// The base of ops that compute each element of their output from the elements of their inputs at the same position.
/// The inputs have one dtype and broadcast against each other. A derived op defines its name and its derivatives.
class ElementwiseOp : public Op {
 public:
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  bool is_elementwise() const override { return true; }

 protected:
  /// The output's dtype; by default that of the inputs.
  virtual DType output_dtype(DType input) const { return input; }

  /// The output's gradient times the derivative of the output with respect to input number `input`, in the output's
  /// shape; empty where that derivative is zero everywhere (the default).
  virtual Tensor derivative(std::size_t input, std::span<const Tensor> inputs, const Tensor& output,
                            const Tensor& output_gradient) const;
};

/// An elementwise op of one input.
class UnaryOp : public ElementwiseOp {
 protected:
  /// `dy` times the derivative at `x`, where `y` is the output.
  virtual Tensor derivative(const Tensor& x, const Tensor& y, const Tensor& dy) const;

 private:
  Tensor derivative(std::size_t input, std::span<const Tensor> inputs, const Tensor& output,
                    const Tensor& output_gradient) const final;
};

/// An elementwise op of two inputs.
class BinaryOp : public ElementwiseOp {
 protected:
  virtual Tensor left_derivative(const Tensor& a, const Tensor& b, const Tensor& y, const Tensor& dy) const;
  virtual Tensor right_derivative(const Tensor& a, const Tensor& b, const Tensor& y, const Tensor& dy) const;

 private:
  Tensor derivative(std::size_t input, std::span<const Tensor> inputs, const Tensor& output,
                    const Tensor& output_gradient) const final;
};

}  // namespace rhyton
