#include <rhyton/models/cluster/server.h>

#include <rhyton/framework/distribute/local_devices.h>
#include <rhyton/framework/error.h>
#include <rhyton/models/cluster/parameter_server.h>

namespace rhyton::distribute {

struct Server::Impl {
  Impl(const ClusterSpec& cluster, const TaskSpec& task, const TransportOptions& options)
      : address(cluster.task_address(task.type, task.index)),
        service(cluster, task),
        devices(options.max_tensor_bytes),
        listener(
            grpc_transport().listen(address, {.task = service, .variables = &service, .devices = &devices}, options)) {}

  std::string address;
  ParameterServer service;
  LocalDevices devices;
  std::unique_ptr<TaskListener> listener;
};

TaskSpec task_of(const ClusterSpec& cluster, const ServerOptions& options) {
  const std::vector<std::string> jobs = cluster.jobs();
  if (options.job_name.empty() && jobs.size() != 1) throw ValueError("Must specify an explicit `job_name`.");
  const std::string job_name = options.job_name.empty() ? jobs.front() : options.job_name;
  const std::vector<int> indices = cluster.task_indices(job_name);
  if (!options.task_index.has_value() && indices.size() != 1) {
    throw ValueError("Must specify an explicit `task_index`.");
  }
  const int task_index = options.task_index.value_or(indices.empty() ? 0 : indices.front());
  cluster.task_address(job_name, task_index);
  return {.type = job_name, .index = task_index};
}

Server::Server(const ClusterSpec& cluster, const ServerOptions& options)
    : impl_(std::make_unique<Impl>(cluster, task_of(cluster, options), options.transport)) {}
Server::~Server() = default;
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;

std::string Server::target() const { return "grpc://" + impl_->address; }

void Server::join() {
  impl_->service.wait();
  impl_->listener->stop();
}

void Server::stop() {
  impl_->service.shut_down();
  impl_->listener->stop();
}

}  // namespace rhyton::distribute
