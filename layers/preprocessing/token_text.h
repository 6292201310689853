#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Tokens in messages and files.

namespace rhyton::layers {

inline const std::string& text_of(const std::string& token) { return token; }
inline std::string text_of(std::int64_t token) { return std::to_string(token); }

/// As Python prints it.
inline std::string quoted(const std::string& token) { return "'" + token + "'"; }
inline std::string quoted(std::int64_t token) { return std::to_string(token); }

/// As TensorFlow prints it in messages.
inline std::string double_quoted(const std::string& token) { return '"' + token + '"'; }
inline std::string double_quoted(std::int64_t token) { return std::to_string(token); }

template <class Token>
std::string list_text(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) text += (text.empty() ? "" : ", ") + quoted(token);
  return "[" + text + "]";
}

}  // namespace rhyton::layers
