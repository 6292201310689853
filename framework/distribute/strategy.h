#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/distribute/per_replica.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::distribute {

class Strategy;
class StrategyImpl;
template <class Dataset>
class DistributedDataset;

/// How values of several replicas are combined (`tf.distribute.ReduceOp`).
enum class ReduceOp { sum, mean };

/// `auto scope = strategy.scope();`: during its lifetime, models that this thread builds or compiles are trained by its
/// strategy. Scopes nest and end in the reverse order of their creation.
class [[nodiscard]] StrategyScope {
 public:
  explicit StrategyScope(const Strategy& strategy);
  ~StrategyScope();
  StrategyScope(const StrategyScope&) = delete;
  StrategyScope& operator=(const StrategyScope&) = delete;

 private:
  std::shared_ptr<StrategyImpl> strategy_;
  StrategyScope* outer_;

  friend Strategy get_strategy();
  friend bool has_strategy();
};

/// Runs the same code on several replicas, each with a part of the data (`tf.distribute.Strategy`): a handle; copies
/// are the same strategy.
///
///     distribute::MirroredStrategy strategy;
///     {
///       auto scope = strategy.scope();
///       model = build();
///       model.compile({.optimizer = optimizers::Adam(), .loss = "mse"});
///     }
///     model.fit(x, y, {.batch_size = 64});   // 64 samples a step, over all replicas
///
/// https://www.tensorflow.org/api_docs/python/tf/distribute/Strategy
class Strategy {
 public:
  /// Code that every replica runs on its arguments, with ops; inside, `replica_context()` identifies the replica.
  using ReplicaFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

  explicit Strategy(std::shared_ptr<StrategyImpl> impl) : impl_(std::move(impl)) {}

  /// Models that are built or compiled during the scope's lifetime train on this strategy's devices.
  StrategyScope scope() const { return StrategyScope(*this); }

  /// The number of replicas over all processes.
  int num_replicas_in_sync() const;
  /// The devices of this process's replicas, in the order of the replicas.
  const std::vector<LogicalDevice*>& worker_devices() const;
  /// Whether this process writes files and shows progress: only the chief of several processes; true for one process.
  bool is_chief() const;
  /// "MirroredStrategy".
  const std::string& name() const;

  /// Calls `function` once on each replica of this process, on its device, with the replica's own part of the
  /// arguments, and returns their results, output by output. The replicas run one at a time: each until it waits for
  /// the others in a sum, or is done. Variables are mirrored: each replica reads and assigns its own copy; an optimizer
  /// applies the sums of the gradients of all replicas, so that the copies stay equal. Rethrows the exception of a
  /// replica. Throws RuntimeError when a replica returns while others wait for it in a sum, and inside of `run`.
  std::vector<PerReplica> run(const ReplicaFunction& function, const std::vector<PerReplica>& arguments = {}) const;

  /// Combines the values of all replicas into one tensor. `axis`: also sums, or averages, over that axis of each value;
  /// a mean weights all elements equally, whatever their number per replica. With several processes all must call it.
  Tensor reduce(ReduceOp reduce_op, const PerReplica& value, std::optional<int> axis = std::nullopt) const;
  /// The values of all replicas, concatenated along `axis`. With several processes all must call it. Throws ValueError
  /// where dtypes or the other axes differ.
  Tensor gather(const PerReplica& value, int axis) const;
  /// The values of this process's replicas.
  std::vector<Tensor> experimental_local_results(const PerReplica& value) const;
  /// The parts of a batch, divided along the first axis as `fit` does: when the division leaves a remainder, the first
  /// replicas get one more sample.
  PerReplica distribute_batch(const Tensor& batch) const;

  /// A data set (datasets/dataset.h) each of whose batches is divided into the parts of the replicas. Callers include
  /// <rhyton/framework/distribute/distributed_dataset.h>.
  template <class Dataset>
  DistributedDataset<Dataset> experimental_distribute_dataset(const Dataset& dataset) const;

  const std::shared_ptr<StrategyImpl>& impl() const { return impl_; }

 private:
  std::shared_ptr<StrategyImpl> impl_;
};

/// The strategy of the innermost scope; outside of any, one of a single replica on the current device
/// (`tf.distribute.get_strategy`).
Strategy get_strategy();
/// Whether a scope is open.
bool has_strategy();

}  // namespace rhyton::distribute
