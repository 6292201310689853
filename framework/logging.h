#pragma once

#include <string>

namespace rhyton {

// Lines on the standard error as TensorFlow's logger writes them, for what its users expect to read there. What may be
// a mistake of the user is told by `warn` instead.

/// "INFO:rhyton:…"
void log_info(const std::string& message);

/// "WARNING:rhyton:…"
void log_warning(const std::string& message);

}  // namespace rhyton
