#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/distribute/variable_service.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/models/cluster/served_job.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::distribute {

/// What a task of a cluster holds and does: variables, an optimizer, and the steps that it applies, one at a time.
class ParameterServer final : public TaskService, public VariableService {
 public:
  /// The task has that number in that cluster.
  ParameterServer(ClusterSpec cluster, TaskSpec task);

  void create(const std::vector<NamedTensor>& variables) override;
  void assign(const std::vector<NamedTensor>& values) override;
  std::vector<NamedTensor> read(const std::vector<std::string>& names) override;
  void set_optimizer(const io::Json& optimizer) override;
  /// A sparse gradient is added up to a dense one, so that each optimizer takes the step that it would take by itself.
  std::int64_t apply_gradients(const std::vector<NamedTensor>& gradients) override;
  std::int64_t iterations() override;
  void shut_down() override;

  TaskGreeting greet(const TaskGreeting& caller) override;
  /// The calls of a training with parameter servers; see ServedJob.
  TaskReply call(const TaskCall& call, const std::stop_token& stop) override;
  /// That training.
  const ServedJob& served_job() const { return job_; }

  /// Waits for `shut_down`.
  void wait();

 private:
  const Variable& find(const std::string& name) const;

  const ClusterSpec cluster_;
  const TaskSpec task_;

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ended_ = false;
  std::map<std::string, Variable> variables_;
  optimizers::Optimizer optimizer_;
  io::Json optimizer_config_;
  ServedJob job_;
};

}  // namespace rhyton::distribute
