#include <rhyton/models/cluster/remote_task.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/cluster/greeting.h>

namespace rhyton::distribute {

RemoteTask::RemoteTask(const ClusterSpec& cluster, const TaskSpec& task, const RemoteTaskOptions& options) {
  const std::string& address = cluster.task_address(task.type, task.index);
  name_ = name_of(task) + " (" + address + ")";
  service_ = grpc_transport().connect(address, name_, options.transport);
  const TaskGreeting own{.library_version = library_version(),
                         .task = options.own_task.value_or(TaskSpec{.type = "", .index = 0}),
                         .cluster = cluster};
  const TaskGreeting other = service_->greet(own);
  if (other.task.type != task.type || other.task.index != task.index) {
    throw ValueError("At " + address + " there should be " + name_of(task) + ", but there is " + name_of(other.task) +
                     ".");
  }
  require_agreement(own, other);
}

void RemoteTask::create(const std::vector<NamedTensor>& variables) const { service_->create(variables); }

void RemoteTask::assign(const std::vector<NamedTensor>& values) const { service_->assign(values); }

void RemoteTask::set_optimizer(const optimizers::Optimizer& optimizer) const {
  service_->set_optimizer(optimizers::serialize(optimizer));
}

std::vector<NamedTensor> RemoteTask::pull(const std::vector<std::string>& names) const { return service_->read(names); }

std::int64_t RemoteTask::push(const std::vector<NamedTensor>& gradients) const {
  return service_->apply_gradients(gradients);
}

std::int64_t RemoteTask::iterations() const { return service_->iterations(); }

void RemoteTask::shut_down() const { service_->shut_down(); }

TaskReply RemoteTask::call(const TaskCall& call, const std::stop_token& stop) const {
  return service_->call(call, stop);
}

}  // namespace rhyton::distribute
