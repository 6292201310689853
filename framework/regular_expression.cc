#include <rhyton/framework/regular_expression.h>

#include <regex>

namespace rhyton {

struct RegularExpression::Compiled {
  std::regex expression;
};

RegularExpression::RegularExpression(const std::string& pattern)
    : compiled_(std::make_shared<const Compiled>(Compiled{std::regex(pattern)})) {}

bool RegularExpression::matches(const std::string& text) const { return std::regex_match(text, compiled_->expression); }

bool RegularExpression::matches_beginning(const std::string& text) const {
  return std::regex_search(text, compiled_->expression, std::regex_constants::match_continuous);
}

bool RegularExpression::is_found_in(const std::string& text) const {
  return std::regex_search(text, compiled_->expression);
}

std::vector<std::optional<std::string>> RegularExpression::groups(const std::string& text) const {
  std::smatch match;
  std::vector<std::optional<std::string>> groups;
  if (!std::regex_match(text, match, compiled_->expression)) return groups;
  for (const std::ssub_match& group : match) {
    groups.push_back(group.matched ? std::optional(group.str()) : std::nullopt);
  }
  return groups;
}

std::vector<std::string> RegularExpression::find_all(const std::string& text) const {
  std::vector<std::string> parts;
  for (std::sregex_iterator part(text.begin(), text.end(), compiled_->expression), end; part != end; ++part) {
    parts.push_back(part->str());
  }
  return parts;
}

}  // namespace rhyton
