#include <rhyton/models/cluster/parameter_server_job.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

void require_cluster(const ClusterConfig& config, const ParameterServerStrategyOptions& options) {
  const ClusterSpec& cluster = config.cluster;
  for (const char* const job : {"ps", "worker"}) {
    if (cluster.has_job(job) && cluster.num_tasks(job) > 0) continue;
    throw ValueError("ParameterServerStrategy needs tasks of the jobs 'ps' and 'worker', got the cluster " +
                     cluster.as_dict().dump() + ".");
  }
  const std::string& type = config.task.type;
  if (type != "ps" && type != "worker" && type != "chief") {
    throw ValueError("The task of ParameterServerStrategy must be of type 'chief', 'worker' or 'ps', got '" + type +
                     "'.");
  }
  const int workers = cluster.num_tasks("worker");
  if (options.backup_workers < 0 || options.backup_workers >= workers) {
    throw ValueError("backup_workers must be from 0 to the number of workers less one, " + std::to_string(workers - 1) +
                     ", got " + std::to_string(options.backup_workers) + ".");
  }
  if (options.backup_workers > 0 && !options.synchronous) {
    throw ValueError("backup_workers are of synchronous training: expected synchronous = true.");
  }
}

}  // namespace

ParameterServerJob::ParameterServerJob(ClusterConfig config, ParameterServerStrategyOptions options)
    : config_(std::move(config)), options_(std::move(options)) {
  require_cluster(config_, options_);
  const auto listen = [this](const TaskServices& services) {
    const std::string& address = config_.cluster.task_address(config_.task.type, config_.task.index);
    listener_ = grpc_transport().listen(address, services, options_.transport);
  };
  if (config_.task.type == "worker") {
    worker_ = std::make_unique<WorkerService>(config_.cluster, config_.task);
    listen({.task = *worker_});
  } else if (config_.task.type == "ps") {
    server_ = std::make_unique<ParameterServer>(config_.cluster, config_.task);
    listen({.task = *server_, .variables = server_.get()});
  }
}

std::vector<RemoteTask> ParameterServerJob::connect_to_servers() const {
  std::vector<RemoteTask> servers;
  for (const int index : config_.cluster.task_indices("ps")) {
    servers.emplace_back(config_.cluster, TaskSpec{.type = "ps", .index = index},
                         RemoteTaskOptions{.own_task = config_.task, .transport = options_.transport});
  }
  return servers;
}

WorkerPool::Options ParameterServerJob::pool_options(const std::string& job, int number,
                                                     std::vector<RemoteTask> servers) const {
  return {.cluster = config_.cluster,
          .own_task = config_.task,
          .transport = options_.transport,
          .job = job,
          .number = number,
          .servers = std::move(servers),
          .closure_timeout = options_.closure_timeout};
}

void ParameterServerJob::begin_job(const std::string& job, int number, const std::function<void()>& work) const {
  try {
    work();
  } catch (const std::exception& error) {
    WorkerPool::end_without(pool_options(job, number, {}), error.what());
    throw;
  }
}

void ParameterServerJob::note_step(std::int64_t staleness, std::int64_t dropped) {
  const std::scoped_lock lock(mutex_);
  ++statistics_.steps;
  total_staleness_ += static_cast<double>(staleness);
  statistics_.mean_staleness = total_staleness_ / static_cast<double>(statistics_.steps);
  statistics_.max_staleness = std::max(statistics_.max_staleness, staleness);
  statistics_.dropped += dropped;
}

void ParameterServerJob::note_pool(const WorkerPool::Counts& counts) {
  const std::scoped_lock lock(mutex_);
  statistics_.lost_workers += counts.lost;
  statistics_.repeated += counts.repeated;
}

ParameterServerStatistics ParameterServerJob::statistics() const {
  const std::scoped_lock lock(mutex_);
  return statistics_;
}

}  // namespace rhyton::distribute
