#pragma once

#include <optional>
#include <string_view>

namespace rhyton::threading {

/// The number of threads that can run at the same time in this process: the cores it may be scheduled on, limited by
/// the processor time that the control group (a container) grants. At least 1.
int default_thread_count();

/// The cores that a control group's `cpu.max` ("<quota> <period>" or "max <period>", in microseconds) grants, rounded
/// up; empty when it sets no limit or cannot be parsed.
std::optional<int> cores_of_cpu_max(std::string_view cpu_max);

}  // namespace rhyton::threading
