#pragma once

#include <string_view>

namespace rhyton {

/// Whether devices and transfers between them are logged: the environment variable RHYTON_LOG contains `device`, or
/// placements are logged.
bool is_device_log_enabled();

/// Writes a line to standard error if `is_device_log_enabled()`.
void log_device_event(std::string_view line);

}  // namespace rhyton
