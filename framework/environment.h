#pragma once

#include <optional>
#include <string_view>

namespace rhyton {

/// The value of an environment variable; empty where there is none. It is valid until the program sets the variable.
std::string_view environment(const char* name);

/// The same for variables that may be set to the empty text: empty where there is none.
std::optional<std::string_view> environment_if_set(const char* name);

/// Whether a switch is on: the environment variable is "1".
bool is_switched_on(const char* name);

/// The number in an environment variable, from 0 to 1000000; empty where it is unset or empty. Throws ValueError for
/// anything else. `meaning` describes the number and the meaning of 0 for the message: "seconds from 0 (no heartbeat)".
std::optional<double> number_of_environment(const char* name, std::string_view meaning);

}  // namespace rhyton
