#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/distribute/cluster.h>

namespace rhyton::distribute::cluster_resolver {

/// The options of a SlurmClusterResolver. Fields in TensorFlow's order.
struct SlurmOptions {
  /// The number of tasks of each job; all tasks of the step are workers if empty. Slurm's tasks are assigned to the
  /// jobs in the alphabetical order of their names.
  std::map<std::string, int> jobs = {};
  /// The port of the first task of a node; the others have the following ports.
  int port_base = 8888;
  /// The same number of tasks for every node; from Slurm if empty.
  std::optional<int> tasks_per_node = std::nullopt;
};

/// The cluster of a job step that `srun` started (`tf.distribute.cluster_resolver.SlurmClusterResolver`). Reads the
/// environment variables SLURM_PROCID, SLURM_STEP_NODELIST, SLURM_STEP_TASKS_PER_NODE and, without `jobs`,
/// SLURM_STEP_NUM_TASKS. Tasks have Slurm's numbers, in the order of its list of nodes. (TensorFlow sorts the nodes by
/// name; this differs where numbers have different lengths, as n2 and n10.)
class SlurmClusterResolver {
 public:
  /// Throws RuntimeError for a variable that is not set and for jobs with another number of tasks than Slurm has
  /// started; ValueError, which names the variable, for a value that cannot be read, and when SLURM_NODEID and
  /// SLURM_LOCALID say that this process is not where its number belongs, as with `srun --distribution=cyclic`.
  explicit SlurmClusterResolver(const SlurmOptions& options = {});

  const ClusterSpec& cluster_spec() const { return config_.cluster; }
  const std::string& task_type() const { return config_.task.type; }
  int task_id() const { return config_.task.index; }
  const ClusterConfig& config() const { return config_; }

 private:
  ClusterConfig config_;
};

/// The hosts of a list as Slurm writes it: "n[1-2],m5,o[03-04,7]" is n1, n2, m5, o03, o04, o7. Throws ValueError, which
/// begins with `name`, for anything else, and for more than 100000 hosts.
std::vector<std::string> expand_hostlist(std::string_view hostlist, std::string_view name = "hostlist");

/// The numbers of a list as Slurm writes it: "3(x2),2,1" is 3, 3, 2, 1. Throws as `expand_hostlist`.
std::vector<int> expand_tasks_per_node(std::string_view tasks_per_node, std::string_view name = "tasks per node");

}  // namespace rhyton::distribute::cluster_resolver
