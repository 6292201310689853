#pragma once

#include <cstddef>
#include <string>

namespace rhyton::test {

/// The bytes that the characters U+0000 to U+00FF of a string in golden JSON stand for.
inline std::string bytes_of(const std::string& latin1) {
  std::string bytes;
  for (std::size_t i = 0; i < latin1.size(); ++i) {
    const auto byte = static_cast<unsigned char>(latin1[i]);
    if (byte < 0x80) {
      bytes += latin1[i];
    } else {
      bytes += static_cast<char>((byte & 0x03) << 6 | (static_cast<unsigned char>(latin1[++i]) & 0x3F));
    }
  }
  return bytes;
}

}  // namespace rhyton::test
