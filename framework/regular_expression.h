#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rhyton {

/// A regular expression in ECMAScript's grammar: `std::regex`, compiled once, because its templates take a compiler
/// more than a second in every source that uses them.
class RegularExpression {
 public:
  /// Throws std::regex_error for a pattern that is none.
  explicit RegularExpression(const std::string& pattern);

  /// Whether it matches all of the text.
  bool matches(const std::string& text) const;

  /// Whether it matches a beginning of the text, as Python's `re.match`.
  bool matches_beginning(const std::string& text) const;

  /// Whether it matches a part of the text, as Python's `re.search`.
  bool is_found_in(const std::string& text) const;

  /// What its groups match where it matches all of the text: element 0 is the text, and a group that takes no part in
  /// the match is std::nullopt. Empty where it does not match.
  std::vector<std::optional<std::string>> groups(const std::string& text) const;

  /// The parts of the text that it matches, from left to right, without overlap.
  std::vector<std::string> find_all(const std::string& text) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace rhyton
