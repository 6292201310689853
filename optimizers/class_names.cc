#include <rhyton/optimizers/class_names.h>

#include <cctype>
#include <cstddef>

#include <rhyton/framework/context.h>

namespace rhyton {
namespace {

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string snake_case(std::string_view class_name) {
  std::string name;
  for (std::size_t i = 0; i < class_name.size(); ++i) {
    const char c = class_name[i];
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') continue;
    if (is_upper(c) && !name.empty()) {
      const bool starts_word = i + 1 < class_name.size() && is_lower(class_name[i + 1]);
      if (starts_word || is_lower(class_name[i - 1])) name += '_';
    }
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string automatic_name(std::string_view class_name) { return context().unique_name(snake_case(class_name)); }

}  // namespace rhyton
