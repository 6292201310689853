#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/communicator.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/framework/threading/function_ref.h>

// What replicas that run the same code on parts of one batch say to each other.

namespace rhyton {

/// The part of a batch that a replica has.
struct ReplicaBatch {
  /// The samples of the whole batch, over all replicas; 0 where that is not known.
  std::int64_t global_samples = 0;
  /// The place of this replica's first sample in it, and how many follow. A replica without samples computes with one
  /// of another replica's, which counts for nothing.
  std::int64_t first_sample = 0;
  std::int64_t samples = 0;

  bool is_known() const { return global_samples > 0; }
  /// Whether the replica computes with a sample that counts for nothing.
  bool is_empty() const { return is_known() && samples == 0; }
};

/// Who runs the code of this thread, where it runs once on each replica of a strategy
/// (`tf.distribute.get_replica_context`).
struct ReplicaContext {
  /// Among all replicas of all processes.
  int replica_id_in_sync_group = 0;
  int num_replicas_in_sync = 1;
  /// The way to the others.
  std::shared_ptr<Communicator> communicator;
  ReplicaBatch batch;
};

/// While it lives, code of this thread runs as that replica.
class ReplicaScope {
 public:
  explicit ReplicaScope(ReplicaContext context);
  ~ReplicaScope();
  ReplicaScope(const ReplicaScope&) = delete;
  ReplicaScope& operator=(const ReplicaScope&) = delete;

 private:
  ReplicaContext context_;
  const ReplicaContext* outer_;
};

/// The innermost scope's; null outside of any.
const ReplicaContext* replica_context();

/// The part of a batch that this thread's replica has; null for whoever has the whole batch, or does not know.
const ReplicaBatch* part_of_batch();

/// What a mean over this replica's samples counts in the mean over those of all replicas: its part of the batch, where
/// the parts are known, else the same for all. 1 outside of a ReplicaScope.
double replica_share();

/// Calls `update`, which adds to variables with ops and assignments, on each replica its own; afterwards the variables
/// of all replicas hold what all have added: so that sums over samples, such as a metric's, are those of the whole
/// batch. Outside of a ReplicaScope only calls it. Every replica must come by here.
void add_over_replicas(const std::vector<Variable>& variables, threading::FunctionRef<void()> update);

inline namespace ops {

/// The sums of the tensors of all replicas, each over tensors of one shape; outside of a ReplicaScope, and where there
/// is one replica, the tensors themselves. Empty tensors stay empty. Every replica must come by here. The derivative
/// sums likewise: that of the sum of all replicas' losses.
std::vector<Tensor> all_reduce(const std::vector<Tensor>& tensors);
Tensor all_reduce(const Tensor& tensor);

/// The op behind it: any number of inputs, and as many outputs, of their specs.
class AllReduceOp final : public Op {
 public:
  explicit AllReduceOp(std::shared_ptr<Communicator> communicator) : communicator(std::move(communicator)) {}

  std::string_view name() const override { return "AllReduce"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  /// Each call waits for the other members: none may be left out or stand for another.
  bool is_deterministic() const override { return false; }
  std::string attributes() const override;
  /// One kernel takes any mixture of dtypes.
  DType kernel_dtype(std::span<const TensorSpec>) const override { return DType::float32; }

  const std::shared_ptr<Communicator> communicator;
};

/// The kernel behind it, on any device: the communicator does the work.
void run_all_reduce(const KernelArguments& arguments);

}  // namespace ops
}  // namespace rhyton
