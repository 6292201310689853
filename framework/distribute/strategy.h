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

/// How values of several replicas become one (`tf.distribute.ReduceOp`).
enum class ReduceOp { sum, mean };

/// As long as it lives, models that this thread builds or compiles are trained by its strategy:
/// `auto scope = strategy.scope();`. Scopes nest and end in the reverse order of their making.
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
  /// Code that every replica runs on its arguments, with ops; inside, `replica_context()` tells which one it is.
  using ReplicaFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

  explicit Strategy(std::shared_ptr<StrategyImpl> impl) : impl_(std::move(impl)) {}

  /// Models that are built or compiled while the scope lives train on this strategy's devices.
  StrategyScope scope() const { return StrategyScope(*this); }

  /// The replicas over all processes.
  int num_replicas_in_sync() const;
  /// The devices of this process's replicas, in the order of the replicas.
  const std::vector<LogicalDevice*>& worker_devices() const;
  /// Of several processes only the chief writes files and shows progress; true for one process.
  bool is_chief() const;
  /// "MirroredStrategy".
  const std::string& name() const;

  /// Calls `function` once on each replica of this process, on its device, with the replica's own part of the
  /// arguments, and gives what they return, output by output. The replicas take turns: one runs until it waits for the
  /// others in a sum, or is done. Variables are mirrored: each replica reads and assigns its own copy; an optimizer
  /// applies the sums of the gradients of all replicas, so that the copies stay equal. Rethrows what a replica throws.
  /// Throws RuntimeError where a replica returns while others wait for it in a sum, and inside of `run`.
  std::vector<PerReplica> run(const ReplicaFunction& function, const std::vector<PerReplica>& arguments = {}) const;

  /// Makes one tensor of the values of all replicas. `axis`: also sums, or averages, over that axis of each value, a
  /// mean counting every element once, however many each replica has. With several processes all must call it.
  Tensor reduce(ReduceOp reduce_op, const PerReplica& value, std::optional<int> axis = std::nullopt) const;
  /// The values of all replicas behind each other along `axis`. With several processes all must call it. Throws
  /// ValueError where dtypes or the other axes differ.
  Tensor gather(const PerReplica& value, int axis) const;
  /// The values of this process's replicas.
  std::vector<Tensor> experimental_local_results(const PerReplica& value) const;
  /// The parts of a batch, cut along the first axis as `fit` cuts it: the first replicas get one sample more where it
  /// does not come out even.
  PerReplica distribute_batch(const Tensor& batch) const;

  /// A data set (datasets/dataset.h) each of whose batches is cut into the parts of the replicas. Whoever calls it
  /// includes <rhyton/framework/distribute/distributed_dataset.h>.
  template <class Dataset>
  DistributedDataset<Dataset> experimental_distribute_dataset(const Dataset& dataset) const;

  const std::shared_ptr<StrategyImpl>& impl() const { return impl_; }

 private:
  std::shared_ptr<StrategyImpl> impl_;
};

/// The strategy of the innermost scope; outside of any, one of a single replica where ops run anyway
/// (`tf.distribute.get_strategy`).
Strategy get_strategy();
/// Whether a scope is open.
bool has_strategy();

}  // namespace rhyton::distribute
