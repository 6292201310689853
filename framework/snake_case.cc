#include <rhyton/framework/snake_case.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace rhyton {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// Letters beyond ASCII are kept, byte for byte.
bool is_part_of_word(char c) {
  return is_upper(c) || is_lower(c) || (c >= '0' && c <= '9') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string snake_case(std::string_view class_name) {
  std::string letters;
  std::copy_if(class_name.begin(), class_name.end(), std::back_inserter(letters), is_part_of_word);
  std::string name;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const char c = letters[i];
    const bool starts_word =
        i > 0 && is_upper(c) && ((i + 1 < letters.size() && is_lower(letters[i + 1])) || is_lower(letters[i - 1]));
    if (starts_word) name += '_';
    name += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

}  // namespace rhyton
