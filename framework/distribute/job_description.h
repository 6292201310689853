#pragma once

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/distribute/process_group.h>

namespace rhyton::distribute {

/// What has to be the same in all processes of a job before they begin: the library's version, the model, the length
/// of the data, …, each with its name for messages.
struct JobDescription {
  std::vector<std::pair<std::string, std::string>> entries;
};

/// Compares the processes' descriptions; called by all of them. Throws ValueError, in all of them alike, where one
/// differs in its value or lacks an entry: the message names the entry, the rank that differs from most others, and
/// both values.
void require_same(ProcessGroup& processes, const JobDescription& description);
/// The same for one entry: `require_same(processes, "batch size", "64")`.
void require_same(ProcessGroup& processes, const std::string& what, const std::string& value);

}  // namespace rhyton::distribute
