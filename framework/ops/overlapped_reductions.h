#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/communicator.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/op.h>

// A sum over replicas in two ops, between which it runs in the background while the replica computes. Only passes
// create them (graph/passes/bucket_reductions.h); they have no derivatives.

namespace rhyton {

/// The base of both ops.
class HalfOfAllReduceOp : public Op {
 public:
  bool is_deterministic() const override { return false; }
  std::string attributes() const override;
  double flops(std::span<const TensorSpec>, std::span<const TensorSpec>) const override { return 0; }
  DType kernel_dtype(std::span<const TensorSpec>) const override { return DType::float32; }

  const std::shared_ptr<Communicator> communicator;

 protected:
  explicit HalfOfAllReduceOp(std::shared_ptr<Communicator> communicator) : communicator(std::move(communicator)) {}
};

/// Begins a sum. Inputs: the tensors and, with `follows_another`, a result of the previous sum, begun or whole, which
/// is unused, so that every replica begins in the same order. Outputs: for each tensor the memory of its future sum, of
/// the tensor's spec and not to be read yet, and a scalar int64: the number of the call.
class BeginAllReduceOp final : public HalfOfAllReduceOp {
 public:
  BeginAllReduceOp(std::shared_ptr<Communicator> communicator, bool follows_another)
      : HalfOfAllReduceOp(std::move(communicator)), follows_another(follows_another) {}

  std::string_view name() const override { return "BeginAllReduce"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;

  const bool follows_another;
};

/// Waits for a sum that was begun. Inputs: the memory of the sums, the number of the call, and the number of the last
/// call of the whole sum that this one is a bucket of. Outputs: the sums.
class FinishAllReduceOp final : public HalfOfAllReduceOp {
 public:
  explicit FinishAllReduceOp(std::shared_ptr<Communicator> communicator) : HalfOfAllReduceOp(std::move(communicator)) {}

  std::string_view name() const override { return "FinishAllReduce"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
};

/// Their kernels, for host memory.
void run_begin_all_reduce(const KernelArguments& arguments);
void run_finish_all_reduce(const KernelArguments& arguments);

}  // namespace rhyton
