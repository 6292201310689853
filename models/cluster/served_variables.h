#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/variable.h>
#include <rhyton/models/cluster/job_variables.h>
#include <rhyton/models/cluster/remote_task.h>
#include <rhyton/models/cluster/variable_placement.h>

namespace rhyton::distribute {

/// One step of a worker for the servers.
struct WorkerStep {
  std::int64_t step = 0;
  /// All steps below this one are done.
  std::int64_t all_done_below = 0;
  /// Of a synchronous step: the number of the part, and its samples. Part -1: an asynchronous step.
  std::int64_t part = -1;
  std::int64_t samples = 0;
};

/// What the servers answered to it.
struct PushResult {
  /// The greatest number of updates, over the servers, between the pull and the push.
  std::int64_t staleness = 0;
  /// Whether it came too late: its step has been completed without it.
  bool is_stale = false;
};

/// The variables of a job on the servers, seen from the chief or from a worker: it pulls the servers' values into the
/// program's variables, and pushes gradients. All functions throw what RemoteTask throws.
class ServedVariables {
 public:
  /// Throws as `require_servable`.
  ServedVariables(std::vector<RemoteTask> servers, JobVariables variables, const VariablePartitioner& partitioner);

  // The chief's.

  /// Gives the servers the values of the variables and of the optimizer's, for a new job.
  void begin(const std::string& job, int number);
  /// Gives them those values that the program has assigned since the last exchange.
  void send_changes();
  /// Takes over all values, also of the optimizer's variables.
  void take_all();
  /// Has every server apply a synchronous step of those parts, of a batch of `samples` samples.
  void commit(std::int64_t step, const std::vector<std::int64_t>& parts, std::int64_t samples);
  void end(const std::string& error);

  // A worker's.

  /// Takes part in the chief's job. A stop request ends waiting for servers.
  void join(const std::string& job, std::stop_token stop) {
    job_ = job;
    stop_ = std::move(stop);
  }
  /// Takes over the values of all variables, for one step.
  void pull();
  /// Pushes gradients of `trained`, of which some may be empty, and what the others have become since `pull`.
  PushResult push(const WorkerStep& step, const std::vector<Tensor>& gradients);

  const std::vector<RemoteTask>& servers() const { return servers_; }
  const JobVariables& variables() const { return variables_; }
  /// The bytes of gradients that were not sent, because rows of zeros need not be.
  std::int64_t saved_bytes() const { return saved_bytes_; }

 private:
  /// Where a variable of the optimizer is on the servers: the one of `server` with number `index`, which has these
  /// rows.
  struct Slot {
    int server = 0;
    std::size_t index = 0;
    Shard rows;
  };

  void lay_out_optimizer();
  std::vector<NamedTensor> tensors_for(int server, bool only_changes) const;
  void note_versions();
  std::vector<std::vector<NamedTensor>> pull_all();
  void for_each_server(const std::function<void(int server)>& work) const;
  Tensor whole(const Variable& variable, const std::vector<Tensor>& parts) const;
  bool has_changed(std::size_t index) const;

  std::vector<RemoteTask> servers_;
  JobVariables variables_;
  /// The trained ones, then the others.
  std::vector<Variable> all_;
  VariablePlacement placement_;
  std::string job_;
  int number_ = 0;
  std::stop_token stop_;
  /// The variables of the optimizer when the job began, and where each of them is.
  std::vector<Variable> slot_variables_;
  std::vector<std::vector<Slot>> slots_;
  /// Those of `all_`, then those of the optimizer, at the last exchange.
  std::vector<std::uint64_t> versions_;
  /// Of the last pull: each server's version, and the values of the other variables.
  std::vector<std::int64_t> pulled_versions_;
  std::vector<Tensor> pulled_others_;
  std::int64_t saved_bytes_ = 0;
};

}  // namespace rhyton::distribute
