#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <rhyton/models/cluster/parameter_server.h>
#include <rhyton/models/cluster/parameter_server_strategy.h>
#include <rhyton/models/cluster/remote_task.h>
#include <rhyton/models/cluster/worker_pool.h>
#include <rhyton/models/cluster/worker_service.h>

namespace rhyton::distribute {

/// This process in a training with parameter servers: what a ParameterServerStrategy, `fit` and a ClusterCoordinator
/// share. A worker or server listens while it exists.
class ParameterServerJob {
 public:
  /// Throws as the constructor of ParameterServerStrategy.
  ParameterServerJob(ClusterConfig config, ParameterServerStrategyOptions options);

  const ClusterConfig& config() const { return config_; }
  const ParameterServerStrategyOptions& options() const { return options_; }
  bool is_chief() const { return worker_ == nullptr && server_ == nullptr; }
  /// Null in tasks of another type.
  WorkerService* worker() const { return worker_.get(); }
  /// Waits until the job of that number is over, as a server.
  void serve_variables(int number) const { server_->served_job().watch().wait(number); }

  int num_servers() const { return config_.cluster.num_tasks("ps"); }
  int num_workers() const { return config_.cluster.num_tasks("worker"); }
  /// The number of the job that begins: the same in all tasks, since all run the same program.
  int next_number() { return ++number_; }
  /// Connections to all servers. Waits for them.
  std::vector<RemoteTask> connect_to_servers() const;
  /// The options of a pool of the workers for a new job.
  WorkerPool::Options pool_options(const std::string& job, int number, std::vector<RemoteTask> servers) const;

  /// Calls `work`, with which the chief begins a job; if it throws, the workers that are there end the job too.
  void begin_job(const std::string& job, int number, const std::function<void()>& work) const;

  // Notes what happened, for `statistics`.

  void note_step(std::int64_t staleness, std::int64_t dropped);
  void note_pool(const WorkerPool::Counts& counts);
  ParameterServerStatistics statistics() const;

 private:
  const ClusterConfig config_;
  const ParameterServerStrategyOptions options_;
  std::unique_ptr<WorkerService> worker_;
  std::unique_ptr<ParameterServer> server_;
  std::unique_ptr<TaskListener> listener_;
  int number_ = 0;
  mutable std::mutex mutex_;
  ParameterServerStatistics statistics_;
  double total_staleness_ = 0;
};

}  // namespace rhyton::distribute
