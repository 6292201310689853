#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <rhyton/framework/distribute/cluster_spec.h>

namespace rhyton::distribute {

/// The task of a process in its cluster.
struct TaskSpec {
  std::string type = "worker";
  int index = 0;
};

/// "ps 0"; "a client" for a process outside of the cluster, whose task has no type.
std::string name_of(const TaskSpec& task);

/// A cluster, and the task of this process in it: the content of the environment variable TF_CONFIG.
struct ClusterConfig {
  ClusterSpec cluster;
  TaskSpec task;

  /// The number of processes that train together: the chief, if there is one, and the workers.
  int number_of_workers() const;
  /// The number of this process among those, the chief being the first. Empty for a process that does not train with
  /// them: an evaluator.
  std::optional<int> worker_rank() const;
  /// Whether this process does the work that is done once per job, such as saving: the task "chief", or worker 0 of a
  /// cluster without one. The older name of the chief is "master".
  bool is_chief() const;
};

/// Reads the text of a TF_CONFIG:
///
/// ```
/// {"cluster": {"worker": ["host1:12345", "host2:12345"]}, "task": {"type": "worker", "index": 0}}
/// ```
///
/// Types are "chief" or "master", "worker", "ps" and "evaluator", with one chief and one evaluator at most. An
/// evaluator need not be part of the cluster. Instead of "cluster", Kubeflow writes "sparseCluster" for workers that
/// come and go, with the tasks that this one has to know. Other members are ignored, as TensorFlow does. Throws
/// ValueError, which states what was expected, for malformed text, and for a task that the cluster does not have.
ClusterConfig parse_cluster_config(std::string_view text);

/// The environment's TF_CONFIG; empty when there is none, or one without "cluster": TF_CONFIG then describes a job of
/// one process. Throws as `parse_cluster_config`.
std::optional<ClusterConfig> cluster_config_from_environment();

/// Compares a configuration with the actual processes. Throws ValueError, which states both, when the cluster does not
/// have `size` workers or this process's worker rank is not `rank`, and NotImplementedError for a cluster with
/// parameter servers.
void require_ranks(const ClusterConfig& config, int rank, int size);

}  // namespace rhyton::distribute
