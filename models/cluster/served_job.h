#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/models/cluster/job_watch.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::distribute {

/// A server's part of a training with parameter servers: variables, the optimizer of those that are trained, and the
/// numbers of the steps that were applied, so that none is applied twice. Used by several threads.
///
/// Trained variables take gradients. All others, such as moving averages and counters, take increments: what a step has
/// added to the value that the worker had pulled.
///
/// | call | |
/// |---|---|
/// | begin | replaces the job: variables with values, the optimizer, and its state if there is one |
/// | pull | all values, and their version: the number of updates so far |
/// | push | applies the gradients and increments of a step, once; returns the staleness: the updates since its pull |
/// | stage | keeps a worker's part of a synchronous step |
/// | commit | applies the parts of a synchronous step that are named, once |
/// | assign, state | sets values, returns the variables of the optimizer |
/// | ping, end | a sign of the chief; the end of the job |
class ServedJob {
 public:
  /// Throws NotFoundError for another function, ValueError for tensors that do not fit, RuntimeError for a call of
  /// another job.
  TaskReply call(const TaskCall& call);
  const JobWatch& watch() const { return watch_; }

 private:
  struct Served {
    Variable variable;
    bool is_trained = false;
  };
  struct Part {
    std::int64_t samples = 0;
    std::vector<NamedTensor> tensors;
  };

  void begin(const TaskCall& call);
  TaskReply pull() const;
  TaskReply push(const TaskCall& call);
  TaskReply stage(const TaskCall& call);
  TaskReply commit(const TaskCall& call);
  void assign(const std::vector<NamedTensor>& values);
  TaskReply state() const;

  const Served& find(const std::string& key) const;
  /// The same with dense gradients. Throws ValueError for a tensor that does not fit its variable.
  std::vector<NamedTensor> fitting(const std::vector<NamedTensor>& tensors) const;
  /// One update: gradients by the optimizer, increments by addition.
  void update(const std::vector<NamedTensor>& tensors);
  NamedTensor combined(const std::string& key, const std::vector<const Part*>& parts, std::int64_t samples) const;

  JobWatch watch_;
  mutable std::mutex mutex_;
  std::map<std::string, Served> variables_;
  std::vector<std::string> order_;
  optimizers::Optimizer optimizer_;
  std::int64_t version_ = 0;
  /// Steps from `all_applied_below_` on that were applied.
  std::set<std::int64_t> applied_;
  std::int64_t all_applied_below_ = 0;
  /// The last synchronous step that was applied, and the parts of later ones.
  std::int64_t committed_ = -1;
  std::map<std::int64_t, std::map<std::int64_t, Part>> staged_;
};

/// A gradient as one tensor: the rows of a sparse one are added up. Throws ValueError, which names both, for one that
/// does not fit the variable.
Tensor dense_gradient(const NamedTensor& gradient, const Variable& variable);

}  // namespace rhyton::distribute
