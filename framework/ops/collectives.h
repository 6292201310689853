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

// Communication between replicas that run the same code on parts of one batch.

namespace rhyton {

/// A replica's part of a batch.
struct ReplicaBatch {
  /// The samples of the whole batch, over all replicas; 0 if unknown.
  std::int64_t global_samples = 0;
  /// The position of this replica's first sample in it, and the number of its samples. A replica without samples
  /// computes with a sample of another replica, which is ignored.
  std::int64_t first_sample = 0;
  std::int64_t samples = 0;

  bool is_known() const { return global_samples > 0; }
  /// Whether the replica computes with a sample that is ignored.
  bool is_empty() const { return is_known() && samples == 0; }
};

/// The replica that runs the code of this thread, where it runs once on each replica of a strategy
/// (`tf.distribute.get_replica_context`).
struct ReplicaContext {
  /// Among all replicas of all processes.
  int replica_id_in_sync_group = 0;
  int num_replicas_in_sync = 1;
  /// Connects it with the others.
  std::shared_ptr<Communicator> communicator;
  ReplicaBatch batch;
};

/// During its lifetime, code of this thread runs as that replica.
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

/// The context of the innermost scope; null outside of any.
const ReplicaContext* replica_context();

/// This replica's part of a batch; null if the thread has the whole batch, or the part is unknown.
const ReplicaBatch* part_of_batch();

/// The weight of a mean over this replica's samples in the mean over those of all replicas: its share of the batch, if
/// the parts are known, else the same for all. 1 outside of a ReplicaScope.
double replica_share();

/// Calls `update`, which adds to variables with ops and assignments, on each replica its own; afterwards the variables
/// of all replicas contain the contributions of all: so sums over samples, such as a metric's, are those of the whole
/// batch. Outside of a ReplicaScope it only calls `update`. Every replica must call it.
void add_over_replicas(const std::vector<Variable>& variables, threading::FunctionRef<void()> update);

inline namespace ops {

/// The sums of the tensors of all replicas, each over tensors of one shape; outside of a ReplicaScope, and with one
/// replica, the tensors themselves. Empty tensors stay empty. Every replica must call it. The derivative is summed
/// likewise: it is that of the sum of all replicas' losses.
std::vector<Tensor> all_reduce(const std::vector<Tensor>& tensors);
Tensor all_reduce(const Tensor& tensor);

/// The op of `all_reduce`: any number of inputs, and equally many outputs, of their specs.
class AllReduceOp final : public Op {
 public:
  explicit AllReduceOp(std::shared_ptr<Communicator> communicator) : communicator(std::move(communicator)) {}

  std::string_view name() const override { return "AllReduce"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  /// Each call waits for the other members: none may be removed or merged with another.
  bool is_deterministic() const override { return false; }
  std::string attributes() const override;
  /// One kernel handles any mixture of dtypes.
  DType kernel_dtype(std::span<const TensorSpec>) const override { return DType::float32; }

  const std::shared_ptr<Communicator> communicator;
};

/// The kernel of AllReduceOp, on any device: the communicator does the work.
void run_all_reduce(const KernelArguments& arguments);

}  // namespace ops
}  // namespace rhyton
