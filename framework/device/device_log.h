#pragma once

#include <string_view>

namespace rhyton {

/// Whether the program's user wants to know what devices there are and what moves between them: `device` stands in the
/// environment variable RHYTON_LOG, or placements are logged.
bool is_device_log_enabled();

/// Writes a line to standard error, where that is so.
void log_device_event(std::string_view line);

}  // namespace rhyton
