#pragma once

#include <string>

#include <rhyton/framework/distribute/task_service.h>

namespace rhyton::distribute {

/// The version of this library.
std::string library_version();

/// Throws ValueError, which names both sides, unless the greeting comes from a task that can work with this one: of the
/// same versions and the same cluster. A cluster in which numbers of tasks are missing, or whole jobs have none, has to
/// agree in those tasks that both clusters have.
void require_agreement(const TaskGreeting& own, const TaskGreeting& other);

/// The answer of that task of that cluster to a greeting. Throws as `require_agreement`.
TaskGreeting answer_to(const TaskGreeting& caller, const TaskSpec& task, const ClusterSpec& cluster);

}  // namespace rhyton::distribute
