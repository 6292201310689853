#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/cluster_spec.h>
#include <rhyton/framework/distribute/transport.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::distribute {

struct RemoteTaskOptions {
  /// The task of this process; empty for a client outside of the cluster.
  std::optional<TaskSpec> own_task = std::nullopt;
  TransportOptions transport = {};
};

/// The variables of a task of a cluster, seen from another process.
///
///     const distribute::RemoteTask server(cluster, {.type = "ps", .index = 0});
///     server.create({{"kernel", kernel}, {"bias", bias}});
///     server.set_optimizer(optimizers::SGD({.learning_rate = 0.1}));
///     server.push({{"kernel", gradient_of_kernel}, {"bias", gradient_of_bias}});
///     const std::vector<distribute::NamedTensor> values = server.pull({"kernel", "bias"});
///
/// All functions may be called by several threads, and throw as those of `TaskService` and `VariableService`, with the
/// name of the task in front: ValueError where shapes, versions or clusters differ, UnavailableError where the task
/// does not answer.
class RemoteTask {
 public:
  /// Waits until the task runs, up to the time-out of the transport.
  RemoteTask(const ClusterSpec& cluster, const TaskSpec& task, const RemoteTaskOptions& options = {});

  /// See `VariableService::create`, `assign` and `set_optimizer`.
  void create(const std::vector<NamedTensor>& variables) const;
  void assign(const std::vector<NamedTensor>& values) const;
  void set_optimizer(const optimizers::Optimizer& optimizer) const;
  /// The values of these variables, in that order; of all if there are no names.
  std::vector<NamedTensor> pull(const std::vector<std::string>& names = {}) const;
  /// Has the task apply one step of its optimizer; returns the number of its steps so far. A NamedTensor with `indices`
  /// is a sparse gradient.
  std::int64_t push(const std::vector<NamedTensor>& gradients) const;
  std::int64_t iterations() const;
  void shut_down() const;
  /// See `TaskService::call`.
  TaskReply call(const TaskCall& call, const std::stop_token& stop = {}) const;

  /// "ps 0 (localhost:2222)".
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::shared_ptr<RemoteTaskService> service_;
};

}  // namespace rhyton::distribute
