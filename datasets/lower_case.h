#pragma once

#include <cctype>
#include <string>

namespace rhyton::datasets {

/// The text with its letters from A to Z as small ones.
inline std::string lower_case(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

}  // namespace rhyton::datasets
