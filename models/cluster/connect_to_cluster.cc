#include <rhyton/models/cluster/connect_to_cluster.h>

#include <memory>
#include <utility>
#include <vector>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_spec.h>
#include <rhyton/framework/distribute/remote_device.h>
#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/error.h>
#include <rhyton/models/cluster/greeting.h>

namespace rhyton::distribute {
namespace {

constexpr const char* job_of_clients = "localhost";

std::string name_of_task(const std::string& job, int task) {
  return DeviceSpec{.job = job, .replica = 0, .task = task, .device_type = {}, .device_index = {}}.to_string();
}

/// The connection of a task's devices; null if there are none yet.
TaskConnection* existing_connection(const std::string& task) {
  auto* const device = dynamic_cast<RemoteDevice*>(device_runtime().find_remote(task + "/device:CPU:0"));
  return device == nullptr ? nullptr : &device->connection();
}

void connect(const ClusterSpec& cluster, const std::string& job, int task, const ConnectOptions& options) {
  const std::string& address = cluster.task_address(job, task);
  const std::string task_name = name_of_task(job, task);
  const std::string name = task_name + " (" + address + ")";
  const bool is_client = options.job_name == job_of_clients;
  const TaskGreeting own{.library_version = library_version(),
                         .task = {.type = is_client ? "" : options.job_name, .index = options.task_index},
                         .cluster = cluster};
  const TaskGreeting other = grpc_transport().connect(address, name, options.transport)->greet(own);
  if (other.task.type != job || other.task.index != task) {
    throw ValueError("At " + address + " there should be " + task_name + ", but there is " +
                     name_of_task(other.task.type, other.task.index) + ".");
  }
  require_agreement(own, other);
  TaskConnection* const existing = existing_connection(task_name);
  if (existing != nullptr && existing->is_connected_with(other.session)) return;
  std::shared_ptr<DeviceSession> session =
      grpc_transport().open_session(address, name, other.session, options.transport);
  const int cpus = session->cpus();
  if (existing != nullptr) {
    existing->connect(std::move(session), other.session);
    return;
  }
  const auto connection = std::make_shared<TaskConnection>(task_name);
  connection->connect(std::move(session), other.session);
  std::vector<std::unique_ptr<LogicalDevice>> devices;
  for (int i = 0; i < cpus; ++i) devices.push_back(std::make_unique<RemoteDevice>(connection, i));
  device_runtime().add_remote_devices(std::move(devices), task_name);
}

}  // namespace

void connect_to_cluster(const ClusterSpec& cluster, const ConnectOptions& options) {
  if (options.job_name != job_of_clients) {
    cluster.task_address(options.job_name, options.task_index);
    device_runtime().set_own_task(options.job_name, options.task_index);
  }
  for (const std::string& job : cluster.jobs()) {
    for (const int task : cluster.task_indices(job)) {
      if (job != options.job_name || task != options.task_index) connect(cluster, job, task, options);
    }
  }
}

}  // namespace rhyton::distribute
