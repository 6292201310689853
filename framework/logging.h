#pragma once

#include <string>

namespace rhyton {

// Lines on standard error in the form of TensorFlow's logger, for messages that TensorFlow logs too. Possible mistakes
// of the user are reported by `warn` instead.

/// "INFO:rhyton:…"
void log_info(const std::string& message);

/// "WARNING:rhyton:…"
void log_warning(const std::string& message);

}  // namespace rhyton
