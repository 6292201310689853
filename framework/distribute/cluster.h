#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhyton::distribute {

/// The tasks of a cluster by type, each with its address "host:port" (`tf.train.ClusterSpec`).
struct ClusterSpec {
  std::vector<std::string> chief;
  std::vector<std::string> worker;
  /// Parameter servers.
  std::vector<std::string> ps;
  std::vector<std::string> evaluator;

  /// The addresses of the tasks of that type. Throws ValueError for another type than these four.
  const std::vector<std::string>& tasks(std::string_view type) const;
};

/// Which of a cluster's tasks a process is.
struct TaskSpec {
  std::string type = "worker";
  int index = 0;
};

/// What the environment variable TF_CONFIG of a job's processes says.
struct ClusterConfig {
  ClusterSpec cluster;
  TaskSpec task;

  /// The processes that train together: the chief, if there is one, and the workers.
  int number_of_workers() const;
  /// The number of this process among those: the chief comes first. Empty for a process that does not train with them,
  /// an evaluator.
  std::optional<int> worker_rank() const;
  /// Whether this process does what is done once per job, such as saving: the task "chief", or worker 0 of a cluster
  /// that has none.
  bool is_chief() const;
};

/// Reads the text of a TF_CONFIG:
///
/// ```
/// {"cluster": {"worker": ["host1:12345", "host2:12345"]}, "task": {"type": "worker", "index": 0}}
/// ```
///
/// Types are "chief", "worker", "ps" and "evaluator", with one chief and one evaluator at most. Other members than
/// "cluster" and "task" are ignored, as TensorFlow does. Throws ValueError, which says what was expected, for anything
/// malformed, and for a task that the cluster does not have.
ClusterConfig parse_cluster_config(std::string_view text);

/// The environment's TF_CONFIG; empty when there is none, or one without "cluster": the program is then a job by itself
/// as far as TF_CONFIG goes. Throws as `parse_cluster_config`.
std::optional<ClusterConfig> cluster_config_from_environment();

/// Compares a configuration with the processes that there are. Throws ValueError, which states both, when the cluster
/// does not have `size` workers or this process is another one of them than `rank`, and NotImplementedError for a
/// cluster with parameter servers.
void require_ranks(const ClusterConfig& config, int rank, int size);

}  // namespace rhyton::distribute
