#include <rhyton/framework/environment.h>

#include <cstdlib>

namespace rhyton {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

bool is_switched_on(const char* name) { return environment(name) == "1"; }

}  // namespace rhyton
