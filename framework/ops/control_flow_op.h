#pragma once

#include <span>
#include <vector>

#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/op.h>

namespace rhyton {

/// An op whose body is a graph of ops: it selects branches, or repeats a body. It runs on the host. Its batch is not
/// sliced: which branch runs, or how often, is one decision for the whole batch.
class ControlFlowOp : public Op {
 public:
  /// Computes whole outputs. May be called by several threads at once.
  virtual void run(std::span<const TensorView> inputs, std::span<const TensorView> outputs) const = 0;

  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  BatchRule output_batch_rule(std::size_t output, std::span<const TensorSpec> inputs,
                              std::span<const int> batch_axes) const override;
  /// One for all: the body has the kernels for its dtypes.
  DType kernel_dtype(std::span<const TensorSpec>) const override { return DType::bool_; }
};

/// The kernel of these ops.
void run_control_flow(const KernelArguments& arguments);

}  // namespace rhyton
