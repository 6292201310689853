#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/autodiff/traced_body.h>
#include <rhyton/framework/ops/control_flow_op.h>

namespace rhyton {

/// A body with the positions of its inputs among the operands of its op.
struct BodyOfOp {
  std::shared_ptr<const CompiledBody> body;
  std::vector<int> operands;
};

/// Runs one of several bodies with equal outputs. Inputs: its number, an int32 scalar, and the operands of all bodies.
/// A number below 0 means the first body, one that is too large the last.
class CaseOp final : public ControlFlowOp {
 public:
  CaseOp(std::vector<BodyOfOp> branches, std::vector<TensorSpec> operand_specs);

  std::string_view name() const override { return "Case"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  /// A CaseOp of the derivatives of the branches, which compute the values that they need again.
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  void run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const override;

 private:
  struct Derivative;
  /// Which outputs have gradients, and which operands need them.
  using DerivativeKey = std::pair<std::vector<bool>, std::vector<bool>>;

  std::shared_ptr<const Derivative> derivative(const DerivativeKey& key) const;
  std::shared_ptr<const Derivative> make_derivative(const DerivativeKey& key) const;

  std::vector<BodyOfOp> branches_;
  std::vector<TensorSpec> operand_specs_;
  std::vector<TensorSpec> output_specs_;
  mutable std::mutex mutex_;
  mutable std::map<DerivativeKey, std::shared_ptr<const Derivative>> derivatives_;
};

}  // namespace rhyton
