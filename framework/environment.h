#pragma once

#include <string_view>

namespace rhyton {

/// The value of an environment variable; empty where there is none. It is valid until the program sets the variable.
std::string_view environment(const char* name);

/// Whether a switch is on: the environment variable is "1".
bool is_switched_on(const char* name);

}  // namespace rhyton
