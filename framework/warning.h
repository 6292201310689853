#pragma once

#include <functional>
#include <string>

namespace rhyton {

/// Tells of something that went otherwise than one may think, though nothing failed (Python's `warnings.warn`): a line
/// "UserWarning: …" on the standard error, unless a handler takes it.
void warn(const std::string& message);

namespace config {

using WarningHandler = std::function<void(const std::string& message)>;

/// Takes all warnings from now on, from whichever thread; an empty function puts them back on the standard error. Gives
/// the handler before it.
WarningHandler set_warning_handler(WarningHandler handler);

}  // namespace config

}  // namespace rhyton
