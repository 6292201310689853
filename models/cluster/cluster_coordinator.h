#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/models/cluster/parameter_server_strategy.h>
#include <rhyton/models/cluster/remote_value.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::distribute {

/// A function that workers run, by its name; made by `ClusterCoordinator::function`.
struct RemoteFunction {
  std::string name;
};

/// A data set of each worker, read by its functions (`tf.distribute.DistributedDataset` of
/// `create_per_worker_dataset`): a handle.
class PerWorkerDataset {
 public:
  explicit PerWorkerDataset(std::function<datasets::Dataset()> dataset_fn);
  /// The next batch of this process; after the last one the data set begins again. Throws ValueError if it is empty.
  datasets::Batch next() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Schedules functions on the workers of a cluster (`tf.distribute.coordinator.ClusterCoordinator`).
///
/// Every task runs the same program: all of them register the same functions, by name, and `run` calls the chief's own
/// code in the chief, while the workers serve its calls.
///
///     const distribute::ParameterServerStrategy strategy;
///     distribute::ClusterCoordinator coordinator(strategy);
///     const auto optimizer = coordinator.create_variables(model.trainable_weights(), optimizers::Adam());
///     const auto step = coordinator.function("train_step", [&](const std::vector<Tensor>& batch) {
///       GradientTape tape;
///       const Tensor loss = mean(losses::mean_squared_error(batch[1], model(batch[0], {.training = true})));
///       optimizer.apply(tape.gradient(loss, weights), weights);
///       return std::vector<Tensor>{loss};
///     });
///     coordinator.run([&] {
///       for (…) coordinator.schedule(step, {x, y});
///       coordinator.join();
///     });
///
/// https://www.tensorflow.org/api_docs/python/tf/distribute/coordinator/ClusterCoordinator
class ClusterCoordinator {
 public:
  using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>& arguments)>;

  /// Throws ValueError for a synchronous strategy: functions are scheduled one by one.
  explicit ClusterCoordinator(const ParameterServerStrategy& strategy);
  ~ClusterCoordinator();
  ClusterCoordinator(const ClusterCoordinator&) = delete;
  ClusterCoordinator& operator=(const ClusterCoordinator&) = delete;

  // In every task, before `run`.

  /// Puts these variables on the servers; `others` are those that functions change without the optimizer. Before each
  /// call of a function a worker's variables take the servers' values. The optimizer that is returned is the one to use
  /// in functions: its `apply` has the servers apply the gradients; the variables have the result at the next call.
  /// Throws as ServedVariables, ValueError at a second call.
  optimizers::Optimizer create_variables(const std::vector<Variable>& trained, const optimizers::Optimizer& optimizer,
                                         const std::vector<Variable>& others = {});
  /// Registers a function. Throws ValueError for a name that is taken.
  RemoteFunction function(const std::string& name, Function function);
  /// A data set that each worker makes when one of its functions first reads it.
  PerWorkerDataset create_per_worker_dataset(std::function<datasets::Dataset()> dataset_fn) const;
  /// In the chief: calls `main`, waits for what it has scheduled, and ends the workers' part. In a worker or server:
  /// serves the chief until then. Throws what `main` throws; in a worker or server RuntimeError if the chief has ended
  /// with an error, UnavailableError if it is lost.
  void run(const std::function<void()>& main);

  // In the chief, within `run`.

  /// Has some worker call the function, as soon as one is free, and returns at once. A call whose worker is lost is
  /// made again by another one; gradients are applied once even then. Throws the error of a function that was scheduled
  /// before, once, after which all others that have not begun are cancelled; UnavailableError for the loss of a server.
  RemoteValue schedule(const RemoteFunction& function, const std::vector<Tensor>& arguments = {});
  /// Waits until all functions are done; the chief's variables then have the servers' values. Throws as `schedule`.
  void join();
  /// Whether they are. Throws as `schedule`.
  bool done();
  /// The results, which it waits for.
  std::vector<Tensor> fetch(const RemoteValue& value) const { return value.fetch(); }
  std::vector<std::vector<Tensor>> fetch(const std::vector<RemoteValue>& values) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rhyton::distribute
