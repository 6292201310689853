#include <rhyton/layers/preprocessing/text_tokens.h>

#include <algorithm>
#include <cstddef>

namespace rhyton::layers {
namespace {

bool is_whitespace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// What may follow the first byte of a character: how many bytes, and the limits of the first of them (table 3-7 of the
/// Unicode standard).
struct Following {
  std::size_t count;
  unsigned char lowest = 0x80;
  unsigned char highest = 0xBF;
};

/// None (-1 bytes) for a byte that begins no character.
Following following(unsigned char first) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  if (first < 0x80) return {0};
  if (first < 0xC2) return {none};
  if (first < 0xE0) return {1};
  if (first == 0xE0) return {2, 0xA0};
  if (first == 0xED) return {2, 0x80, 0x9F};
  if (first < 0xF0) return {2};
  if (first == 0xF0) return {3, 0x90};
  if (first < 0xF4) return {3};
  if (first == 0xF4) return {3, 0x80, 0x8F};
  return {none};
}

/// The length of the character at the beginning of a text that is not empty, or 0 and the number of bytes that one
/// replacement character stands for: the longest beginning of a character, or one byte.
struct CharacterLength {
  std::size_t length;
  std::size_t replaced;
};

CharacterLength character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Following next = following(byte(0));
  if (next.count == static_cast<std::size_t>(-1)) return {0, 1};
  for (std::size_t i = 1; i <= next.count; ++i) {
    const unsigned char lowest = i == 1 ? next.lowest : 0x80;
    const unsigned char highest = i == 1 ? next.highest : 0xBF;
    if (i >= text.size() || byte(i) < lowest || byte(i) > highest) return {0, i};
  }
  return {next.count + 1, 0};
}

}  // namespace

std::string lower_case_of(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string without_punctuation(std::string text) {
  std::erase_if(text, is_punctuation);
  return text;
}

std::vector<std::string> split_at_whitespace(std::string_view text) {
  std::vector<std::string> parts;
  for (auto begin = text.begin(); begin != text.end();) {
    const auto end = std::find_if(begin, text.end(), is_whitespace);
    if (begin != end) parts.emplace_back(begin, end);
    begin = std::find_if_not(end, text.end(), is_whitespace);
  }
  return parts;
}

std::vector<std::string> characters_of(std::string_view text) {
  constexpr const char* replacement = "\xEF\xBF\xBD";
  std::vector<std::string> characters;
  while (!text.empty()) {
    const CharacterLength found = character_length(text);
    characters.push_back(found.length > 0 ? std::string(text.substr(0, found.length)) : replacement);
    text.remove_prefix(found.length + found.replaced);
  }
  return characters;
}

std::vector<std::string> ngrams_of(const std::vector<std::string>& tokens, const std::vector<int>& widths) {
  std::vector<std::string> ngrams;
  for (const int width : widths) {
    const auto count = static_cast<std::size_t>(width);
    for (std::size_t begin = 0; begin + count <= tokens.size(); ++begin) {
      std::string ngram = tokens[begin];
      for (std::size_t i = 1; i < count; ++i) ngram += ' ' + tokens[begin + i];
      ngrams.push_back(std::move(ngram));
    }
  }
  return ngrams;
}

}  // namespace rhyton::layers
