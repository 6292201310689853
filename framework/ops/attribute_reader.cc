#include <rhyton/framework/ops/attribute_reader.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

constexpr std::string_view attribute_separator = ", ";

/// The whole text as a number of that type.
template <class T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

AttributeReader::AttributeReader(std::string_view op, std::string_view text) : op_(op), text_(text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(attribute_separator), text.size());
    const std::string_view attribute = text.substr(0, end);
    const std::size_t equals = attribute.find('=');
    if (equals == std::string_view::npos || equals == 0) fail("expected name=value");
    const std::string_view name = attribute.substr(0, equals);
    if (has(name)) fail("'" + std::string(name) + "' is given twice");
    attributes_.push_back({.name = name, .text = attribute.substr(equals + 1)});
    if (end == text.size()) break;
    text.remove_prefix(end + attribute_separator.size());
    if (text.empty()) fail("expected name=value");
  }
}

bool AttributeReader::has(std::string_view name) const {
  return std::any_of(attributes_.begin(), attributes_.end(), [&](const Attribute& a) { return a.name == name; });
}

std::string_view AttributeReader::text_of(std::string_view name) {
  const auto found =
      std::find_if(attributes_.begin(), attributes_.end(), [&](const Attribute& a) { return a.name == name; });
  if (found == attributes_.end()) fail("'" + std::string(name) + "' is missing");
  found->is_read = true;
  return found->text;
}

std::int64_t AttributeReader::integer(std::string_view name, std::int64_t lowest, std::int64_t highest) {
  std::int64_t value = 0;
  if (!parse_whole(text_of(name), value) || value < lowest || value > highest) {
    fail("'" + std::string(name) + "' must be an integer from " + std::to_string(lowest) + " to " +
         std::to_string(highest));
  }
  return value;
}

std::uint64_t AttributeReader::key(std::string_view name) {
  std::uint64_t value = 0;
  if (!parse_whole(text_of(name), value)) fail("'" + std::string(name) + "' must be an integer that is not negative");
  return value;
}

double AttributeReader::number(std::string_view name) {
  double value = 0;
  if (!parse_whole(text_of(name), value)) fail("'" + std::string(name) + "' must be a number");
  return value;
}

bool AttributeReader::flag(std::string_view name) {
  const std::string_view text = text_of(name);
  if (text != "true" && text != "false") fail("'" + std::string(name) + "' must be true or false");
  return text == "true";
}

DType AttributeReader::dtype(std::string_view name) { return dtype_from_name(text_of(name)); }

std::string_view AttributeReader::word(std::string_view name) { return text_of(name); }

std::vector<std::int64_t> AttributeReader::integers(std::string_view name, std::int64_t lowest, std::int64_t highest) {
  std::string_view text = text_of(name);
  const bool has_brackets = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  if (!has_brackets) fail("'" + std::string(name) + "' must be a list of integers");
  text = text.substr(1, text.size() - 2);
  std::vector<std::int64_t> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    std::int64_t value = 0;
    if (!parse_whole(text.substr(0, end), value) || value < lowest || value > highest || end + 1 == text.size()) {
      fail("'" + std::string(name) + "' must be a list of integers from " + std::to_string(lowest) + " to " +
           std::to_string(highest));
    }
    values.push_back(value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

Shape AttributeReader::shape(std::string_view name) {
  const std::vector<std::int64_t> values = lengths(name);
  const Shape shape{std::span<const std::int64_t>(values)};
  static_cast<void>(shape.size());
  return shape;
}

std::pair<std::int64_t, std::int64_t> AttributeReader::pair(std::string_view name) {
  const std::string_view text = text_of(name);
  const std::size_t comma = std::min(text.find(','), text.size());
  std::int64_t first = 0;
  std::int64_t second = 0;
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
  const bool are_numbers =
      comma < text.size() && parse_whole(text.substr(0, comma), first) && parse_whole(text.substr(comma + 1), second);
  if (!are_numbers || first < 1 || second < 1 || first > longest || second > longest) {
    fail("'" + std::string(name) + "' must be two integers from 1 to " + std::to_string(longest));
  }
  return {first, second};
}

int AttributeReader::axis(std::string_view name, int rank) { return static_cast<int>(integer(name, 0, rank - 1)); }

std::vector<int> AttributeReader::axes(std::string_view name, int rank) {
  std::vector<int> axes;
  for (const std::int64_t axis : integers(name, 0, rank - 1)) axes.push_back(static_cast<int>(axis));
  const bool ascend = std::adjacent_find(axes.begin(), axes.end(), std::greater_equal<>()) == axes.end();
  if (!ascend) fail("'" + std::string(name) + "' must ascend");
  return axes;
}

std::vector<int> AttributeReader::permutation(std::string_view name, int rank) {
  std::vector<int> axes;
  for (const std::int64_t axis : integers(name, 0, rank - 1)) axes.push_back(static_cast<int>(axis));
  std::vector<int> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  const bool are_distinct = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  if (!are_distinct || static_cast<int>(axes.size()) != rank) {
    fail("'" + std::string(name) + "' must contain each of the " + std::to_string(rank) + " axes once");
  }
  return axes;
}

void AttributeReader::finish() const {
  for (const Attribute& attribute : attributes_) {
    if (!attribute.is_read) fail("'" + std::string(attribute.name) + "' is unknown");
  }
}

void AttributeReader::fail(const std::string& problem) const {
  throw ValueError("The attributes \"" + std::string(text_.substr(0, 200)) + "\" of op " + std::string(op_) +
                   " cannot be used: " + problem + ".");
}

}  // namespace rhyton
