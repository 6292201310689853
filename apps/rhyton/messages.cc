#include <rhyton/apps/rhyton/messages.h>

namespace rhyton::tool {
namespace {

/// The length of the UTF-8 character at `at`; 0 if it is invalid or one of the control characters below.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0U) != 0x80) return 0;
  }
  // 0x80 to 0x9f are control characters too.
  if (length == 2 && first == 0xc2 && static_cast<unsigned char>(text[at + 1]) < 0xa0) return 0;
  return length;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const char character = text[at];
    if (character == '\n' || character == '\r') {
      while (!line.empty() && line.back() == ' ') line.pop_back();
      at = text.find_first_not_of(" \t\r\n", at);
      if (at == std::string_view::npos) break;
      if (!line.empty()) line += ' ';
      continue;
    }
    const std::size_t length = character_length(text, at);
    const bool is_control = length == 1 && (static_cast<unsigned char>(character) < 0x20 || character == 0x7f);
    if (length == 0 || is_control) {
      line += character == '\t' ? ' ' : '?';
      ++at;
    } else {
      line += text.substr(at, length);
      at += length;
    }
  }
  return line;
}

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) text += (text.size() > 1 ? ", '" : "'") + name + "'";
  return text + "]";
}

}  // namespace rhyton::tool
