#pragma once

#include <functional>
#include <string>

namespace rhyton {

/// Reports something unexpected that is not a failure (Python's `warnings.warn`): a line "UserWarning: …" on standard
/// error, unless a handler takes it.
void warn(const std::string& message);

namespace config {

using WarningHandler = std::function<void(const std::string& message)>;

/// Passes all further warnings, of any thread, to `handler`; an empty function restores output on standard error.
/// Returns the previous handler.
WarningHandler set_warning_handler(WarningHandler handler);

}  // namespace config

}  // namespace rhyton
