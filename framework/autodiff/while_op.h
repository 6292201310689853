#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/autodiff/case_op.h>
#include <rhyton/framework/ops/control_flow_op.h>

namespace rhyton {

/// Repeats a body while a condition holds. Inputs: the loop variables, and what the bodies use of the surrounding code.
/// Outputs: the loop variables at the end.
class WhileOp final : public ControlFlowOp, public std::enable_shared_from_this<WhileOp> {
 public:
  struct Loop {
    /// Its output is a bool scalar.
    BodyOfOp condition;
    /// Its outputs are the loop variables of the next iteration.
    BodyOfOp body;
    std::optional<std::int64_t> maximum_iterations;
    /// The number of loop variables.
    std::size_t variables = 0;
    /// How many of them, the last ones, are values of variables that the body assigns. An assignment has no gradient.
    std::size_t assigned = 0;
  };

  WhileOp(Loop loop, std::vector<TensorSpec> operand_specs)
      : loop_(std::move(loop)), operand_specs_(std::move(operand_specs)) {}

  std::string_view name() const override { return "While"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  /// A WhileGradientOp.
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;
  void run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const override;

  const Loop& loop() const { return loop_; }
  /// The number of loop variables.
  std::size_t variables() const { return loop_.variables; }
  const std::vector<TensorSpec>& operand_specs() const { return operand_specs_; }

 private:
  Loop loop_;
  std::vector<TensorSpec> operand_specs_;
};

/// The derivative of a loop: runs it again, keeps the loop variables of all iterations, and then runs the derivative of
/// the body from the last iteration to the first. The number of iterations need not be known.
class WhileGradientOp final : public ControlFlowOp {
 public:
  struct Derivative {
    /// The derivative of the body. Its inputs: operands of this op, and sums behind them. Its outputs: the gradients of
    /// the floating loop variables, and the sums with the gradients of one more iteration.
    BodyOfOp body;
    /// The floating loop variables.
    std::vector<std::size_t> variables;
    /// The operands behind the loop variables that have a gradient.
    std::vector<std::size_t> others;
  };

  /// Inputs: those of the loop, the gradients of its floating loop variables at the end, and what the derivative uses
  /// of the surrounding code. Outputs: the gradients of the floating loop variables, and of `others`.
  WhileGradientOp(std::shared_ptr<const WhileOp> loop, Derivative derivative, std::vector<TensorSpec> operand_specs)
      : loop_(std::move(loop)), derivative_(std::move(derivative)), operand_specs_(std::move(operand_specs)) {}

  std::string_view name() const override { return "WhileGradient"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;
  void run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const override;

 private:
  std::shared_ptr<const WhileOp> loop_;
  Derivative derivative_;
  std::vector<TensorSpec> operand_specs_;
};

}  // namespace rhyton
