#include <rhyton/layers/preprocessing/vocabulary_text.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <fstream>
#include <unordered_map>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/preprocessing/token_text.h>

namespace rhyton::layers {
namespace {

/// The token of a line of text; none if it is no integer.
template <class Token>
std::optional<Token> token_of_line(const std::string& line) {
  if constexpr (std::same_as<Token, std::string>) {
    return line;
  } else {
    Token number = 0;
    const char* const end = line.data() + line.size();
    const auto [rest, failure] = std::from_chars(line.data(), end, number);
    return failure == std::errc() && rest == end ? std::optional<Token>(number) : std::nullopt;
  }
}

/// The lines of a text, without the empty ones at its end and without a carriage return at the end of a line.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// Whether Python's `str.splitlines` takes a token for several lines.
bool has_line_break(const std::string& token) {
  constexpr std::array<const char*, 11> breaks = {"\n",   "\r",       "\v",           "\f",           "\x1c", "\x1d",
                                                  "\x1e", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9", "\r\n"};
  return std::any_of(breaks.begin(), breaks.end(),
                     [&](const char* text) { return token.find(text) != std::string::npos; });
}

}  // namespace

template <class Token>
std::vector<Token> read_vocabulary_file(const std::string& path, std::int64_t first_index, bool refuses_repeated) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ValueError("Vocabulary file " + path + " does not exist.");
  const std::string op = " [Op:InitializeTableFromTextFileV2]";
  std::vector<Token> tokens;
  std::unordered_map<Token, std::int64_t> indices;
  std::string line;
  while (std::getline(file, line)) {
    // TensorFlow reads files of Windows too.
    std::erase(line, '\r');
    const auto number = static_cast<std::int64_t>(tokens.size());
    if (line.empty()) {
      throw InvalidArgumentError("Invalid content in " + path + ": empty line found in line " +
                                 std::to_string(number + 1) + "." + op);
    }
    const std::optional<Token> token = token_of_line<Token>(line);
    if (!token) {
      throw InvalidArgumentError("Field " + line + " in line " + std::to_string(number) + " is not a valid int64." +
                                 op);
    }
    const auto [place, is_new] = indices.emplace(*token, number + first_index);
    if (!is_new && refuses_repeated) {
      throw InvalidArgumentError("HashTable has different value for same key. Key " + line + " has " +
                                 std::to_string(place->second) + " and trying to add value " +
                                 std::to_string(number + first_index) + op);
    }
    tokens.push_back(*token);
  }
  return tokens;
}

template <class Token>
std::string vocabulary_as_text(const std::vector<std::optional<Token>>& special, const std::vector<Token>& tokens,
                               const std::string& layer) {
  std::string text;
  std::string separator;
  for (const std::optional<Token>& token : special) {
    text += std::exchange(separator, "\n") + (token ? text_of(*token) : "None");
  }
  for (const Token& token : tokens) {
    text += std::exchange(separator, "\n") + text_of(token);
    if constexpr (std::same_as<Token, std::string>) {
      if (token.find_first_of("\r\n") != std::string::npos || (token.empty() && &token == &tokens.back())) {
        throw ValueError("The vocabulary of " + layer +
                         " cannot be saved with one token a line: it has a token with a line break, or an empty last "
                         "one. Pass it as the argument `vocabulary`, which is saved in the configuration.");
      }
      if (has_line_break(token)) {
        warn("The vocabulary of " + layer + " has the token '" + token +
             "' with a character that Python takes for a line break: Keras reads it from the file as several tokens, "
             "with wrong indices after it.");
      }
    }
  }
  return text;
}

template <class Token>
std::vector<Token> vocabulary_from_text(const std::string& text, const std::vector<std::optional<Token>>& special) {
  const std::vector<std::string> lines = lines_of(text);
  // As they were written, also those that are None.
  std::vector<std::string> written;
  for (const std::optional<Token>& token : special) written.push_back(token ? text_of(*token) : "None");
  while (!written.empty() && written.size() > lines.size() && written.back().empty()) written.pop_back();
  const bool has_special = lines.size() >= written.size() && std::equal(written.begin(), written.end(), lines.begin());
  std::vector<Token> tokens;
  for (std::size_t i = has_special ? written.size() : 0; i < lines.size(); ++i) {
    const std::optional<Token> token = token_of_line<Token>(lines[i]);
    if (!token) throw ValueError("invalid literal for int() with base 10: '" + lines[i] + "'");
    tokens.push_back(*token);
  }
  return tokens;
}

std::int64_t vocabulary_lines(const std::string& text) { return static_cast<std::int64_t>(lines_of(text).size()); }

template std::vector<std::string> read_vocabulary_file(const std::string&, std::int64_t, bool);
template std::vector<std::int64_t> read_vocabulary_file(const std::string&, std::int64_t, bool);
template std::string vocabulary_as_text(const std::vector<std::optional<std::string>>&, const std::vector<std::string>&,
                                        const std::string&);
template std::string vocabulary_as_text(const std::vector<std::optional<std::int64_t>>&,
                                        const std::vector<std::int64_t>&, const std::string&);
template std::vector<std::string> vocabulary_from_text(const std::string&,
                                                       const std::vector<std::optional<std::string>>&);
template std::vector<std::int64_t> vocabulary_from_text(const std::string&,
                                                        const std::vector<std::optional<std::int64_t>>&);

}  // namespace rhyton::layers
