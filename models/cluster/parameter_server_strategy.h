#pragma once

#include <chrono>
#include <cstdint>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/distribute/cluster.h>
#include <rhyton/framework/distribute/cluster_resolver.h>
#include <rhyton/framework/distribute/partitioners.h>
#include <rhyton/framework/distribute/strategy.h>
#include <rhyton/framework/distribute/transport.h>

namespace rhyton::distribute {

/// The options of a ParameterServerStrategy. The first one is TensorFlow's.
struct ParameterServerStrategyOptions {
  ByName by_name = ByName();
  /// How variables are divided over several servers; empty: each is on one server.
  VariablePartitioner variable_partitioner = {};
  /// Whether the gradients of all workers are averaged before each update, so that the result is that of one process.
  bool synchronous = false;
  /// Of synchronous training: the number of workers whose gradients an update need not wait for. It then takes the
  /// first ones that come, and drops the others (Chen et al., https://arxiv.org/abs/1604.00981).
  int backup_workers = 0;
  /// The time after which the step of a worker is given to another one. 0: only when the worker is lost.
  std::chrono::milliseconds closure_timeout{0};
  TransportOptions transport = {};
};

/// What happened in the trainings of a strategy so far, in the chief's process.
struct ParameterServerStatistics {
  /// Updates that the servers have made.
  std::int64_t steps = 0;
  /// The staleness of a gradient is the number of updates between its worker's pull and its push.
  double mean_staleness = 0;
  std::int64_t max_staleness = 0;
  /// Parts of synchronous steps that came too late, or not at all.
  std::int64_t dropped = 0;
  /// How often a worker was lost, and a step was given to another one.
  std::int64_t lost_workers = 0;
  std::int64_t repeated = 0;
};

/// Training with parameter servers (`tf.distribute.ParameterServerStrategy`): tasks "ps" have the variables and apply
/// gradients to them, tasks "worker" compute gradients, and the task "chief" hands out the steps. Every task runs this
/// same program with its own TF_CONFIG; a task "ps" may be `rhyton server` instead.
///
///     distribute::ParameterServerStrategy strategy;
///     auto scope = strategy.scope();
///     models::Sequential model = make_model();
///     model.compile(…);
///     model.fit(x, y, {.batch_size = 64, .epochs = 3});
///
/// `fit` on a worker or server serves the chief's `fit`, and returns an empty History when that has ended. See
/// docs/distributed.md.
///
/// https://www.tensorflow.org/api_docs/python/tf/distribute/ParameterServerStrategy
class ParameterServerStrategy : public Strategy {
 public:
  /// The cluster and the task of the environment variable TF_CONFIG. Throws ValueError if there is none, or as below.
  explicit ParameterServerStrategy(const ParameterServerStrategyOptions& options = {});
  /// A worker or server listens on its address from now on. Throws ValueError for a cluster without servers or workers,
  /// for a task of another type, and for numbers of backup workers that leave none; RuntimeError as Server does.
  explicit ParameterServerStrategy(const ClusterConfig& config, const ParameterServerStrategyOptions& options = {});
  /// The same with Slurm's tasks, of which the jobs must have the names above.
  explicit ParameterServerStrategy(const cluster_resolver::SlurmClusterResolver& cluster_resolver,
                                   const ParameterServerStrategyOptions& options = {})
      : ParameterServerStrategy(cluster_resolver.config(), options) {}

  ParameterServerStatistics statistics() const;
};

}  // namespace rhyton::distribute
