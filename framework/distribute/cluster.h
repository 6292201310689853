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

  /// The addresses of the tasks of that type. Throws ValueError for any other type than these four.
  const std::vector<std::string>& tasks(std::string_view type) const;
};

/// The task of a process in its cluster.
struct TaskSpec {
  std::string type = "worker";
  int index = 0;
};

/// The content of the environment variable TF_CONFIG of a job's processes.
struct ClusterConfig {
  ClusterSpec cluster;
  TaskSpec task;

  /// The number of processes that train together: the chief, if there is one, and the workers.
  int number_of_workers() const;
  /// The number of this process among those, the chief being the first. Empty for a process that does not train with
  /// them: an evaluator.
  std::optional<int> worker_rank() const;
  /// Whether this process does the work that is done once per job, such as saving: the task "chief", or worker 0 of a
  /// cluster without one.
  bool is_chief() const;
};

/// Reads the text of a TF_CONFIG:
///
/// ```
/// {"cluster": {"worker": ["host1:12345", "host2:12345"]}, "task": {"type": "worker", "index": 0}}
/// ```
///
/// Types are "chief", "worker", "ps" and "evaluator", with one chief and one evaluator at most. Members other than
/// "cluster" and "task" are ignored, as TensorFlow does. Throws ValueError, which states what was expected, for
/// malformed text, and for a task that the cluster does not have.
ClusterConfig parse_cluster_config(std::string_view text);

/// The environment's TF_CONFIG; empty when there is none, or one without "cluster": TF_CONFIG then describes a job of
/// one process. Throws as `parse_cluster_config`.
std::optional<ClusterConfig> cluster_config_from_environment();

/// Compares a configuration with the actual processes. Throws ValueError, which states both, when the cluster does not
/// have `size` workers or this process's worker rank is not `rank`, and NotImplementedError for a cluster with
/// parameter servers.
void require_ranks(const ClusterConfig& config, int rank, int size);

}  // namespace rhyton::distribute
