#pragma once

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/distribute/process_group.h>

namespace rhyton::distribute {

/// The properties that have to be equal in all processes of a job before they begin: the library's version, the model,
/// the length of the data, …, each with a name for messages.
struct JobDescription {
  std::vector<std::pair<std::string, std::string>> entries;
};

/// Compares the processes' descriptions; called by all of them. Throws ValueError, the same in all of them, where one
/// differs in a value or lacks an entry: the message names the entry, the rank that differs from the majority, and both
/// values.
void require_same(ProcessGroup& processes, const JobDescription& description);
/// The same for one entry: `require_same(processes, "batch size", "64")`.
void require_same(ProcessGroup& processes, const std::string& what, const std::string& value);

}  // namespace rhyton::distribute
