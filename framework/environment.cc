#include <rhyton/framework/environment.h>

#include <cstdlib>
#include <string>

#include <rhyton/framework/error.h>

namespace rhyton {

std::string_view environment(const char* name) { return environment_if_set(name).value_or(std::string_view()); }

std::optional<std::string_view> environment_if_set(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

bool is_switched_on(const char* name) { return environment(name) == "1"; }

std::optional<double> number_of_environment(const char* name, std::string_view meaning) {
  constexpr double largest = 1e6;
  const std::string text(environment(name));
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (*end == '\0' && number >= 0.0 && number <= largest) return number;
  throw ValueError(std::string(name) + " must be a number of " + std::string(meaning) + " to 1000000, but is '" + text +
                   "'.");
}

}  // namespace rhyton
