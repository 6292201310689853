#include <rhyton/models/cluster/greeting.h>

#include <algorithm>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

[[noreturn]] void throw_disagreement(const TaskGreeting& own, const std::string& own_has, const TaskGreeting& other,
                                     const std::string& other_has) {
  throw ValueError(name_of(own.task) + " has " + own_has + ", but " + name_of(other.task) + " has " + other_has +
                   ": all tasks of a cluster must have the same.");
}

/// Whether a task knows only some of the others.
bool is_sparse(const ClusterSpec& cluster) {
  const std::vector<std::string> jobs = cluster.jobs();
  return std::any_of(jobs.begin(), jobs.end(), [&](const std::string& job) {
    return cluster.num_tasks(job) == 0 || cluster.task_indices(job).back() + 1 != cluster.num_tasks(job);
  });
}

bool agree(const ClusterSpec& a, const ClusterSpec& b) {
  if (!is_sparse(a) && !is_sparse(b)) return a == b;
  for (const std::string& job : a.jobs()) {
    if (!b.has_job(job)) continue;
    const std::vector<int> in_b = b.task_indices(job);
    for (const int i : a.task_indices(job)) {
      const bool is_in_both = std::binary_search(in_b.begin(), in_b.end(), i);
      if (is_in_both && a.task_address(job, i) != b.task_address(job, i)) return false;
    }
  }
  return true;
}

}  // namespace

std::string library_version() { return RHYTON_VERSION; }

void require_agreement(const TaskGreeting& own, const TaskGreeting& other) {
  if (own.protocol_version != other.protocol_version) {
    throw_disagreement(own, "version " + std::to_string(own.protocol_version) + " of the protocol", other,
                       "version " + std::to_string(other.protocol_version));
  }
  if (own.library_version != other.library_version) {
    throw_disagreement(own, "Rhyton " + own.library_version, other, "Rhyton " + other.library_version);
  }
  if (!agree(own.cluster, other.cluster)) {
    throw_disagreement(own, "the cluster " + own.cluster.as_dict().dump(), other,
                       "the cluster " + other.cluster.as_dict().dump());
  }
}

TaskGreeting answer_to(const TaskGreeting& caller, const TaskSpec& task, const ClusterSpec& cluster) {
  TaskGreeting own{.library_version = library_version(), .task = task, .cluster = cluster};
  require_agreement(own, caller);
  return own;
}

}  // namespace rhyton::distribute
