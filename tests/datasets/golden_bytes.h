#pragma once

#include <cstddef>
#include <string>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::test {

/// The bytes of a string of golden JSON in which each is a character U+0000 to U+00FF.
inline std::string bytes_of(const io::Json& value) {
  const std::string& text = value.as_string();
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const bool is_long = lead >= 0x80;
    bytes +=
        is_long ? static_cast<char>(((lead & 3U) << 6) | (static_cast<unsigned char>(text[i + 1]) & 0x3FU)) : text[i];
    if (is_long) ++i;
  }
  return bytes;
}

}  // namespace rhyton::test
