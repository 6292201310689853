#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::io {
namespace {

/// A placeholder as long as the Python word that it replaces, so that positions in error messages remain correct.
struct PythonNumber {
  std::string_view word;
  std::string_view stand_in;
  double value;
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr PythonNumber python_numbers[] = {
    {"-Infinity", "-0e000000", -infinity},
    {"Infinity", "0e000000", infinity},
    {"NaN", "0e0", std::numeric_limits<double>::quiet_NaN()},
};

bool is_part_of_word(char character) {
  return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
         (character >= 'A' && character <= 'Z') || std::string_view("+-._").find(character) != std::string_view::npos;
}

/// The Python number that is a whole word at `position`.
const PythonNumber* find_python_number(std::string_view text, std::size_t position) {
  if (position > 0 && is_part_of_word(text[position - 1])) {
    return nullptr;
  }
  const std::string_view rest = text.substr(position);
  for (const PythonNumber& number : python_numbers) {
    const std::size_t length = number.word.size();
    if (rest.starts_with(number.word) && (rest.size() == length || !is_part_of_word(rest[length]))) {
      return &number;
    }
  }
  return nullptr;
}

bool is_part_of_number(char character) {
  return (character >= '0' && character <= '9') || std::string_view("+-.eE").find(character) != std::string_view::npos;
}

/// JSON has no NaN and Infinity, but Python writes them: they are replaced by placeholders. `values` gets, in order,
/// the value of every number that is spelled like a placeholder.
std::string hide_python_numbers(std::string_view text, std::deque<double>& values) {
  std::string result(text);
  bool in_string = false;
  for (std::size_t position = 0; position < text.size();) {
    const char character = text[position];
    if (in_string || character == '"') {
      in_string = in_string ? character != '"' : true;
      position += in_string && character == '\\' ? 2 : 1;
      continue;
    }
    const std::string_view rest = text.substr(position);
    if (const PythonNumber* number = find_python_number(text, position)) {
      result.replace(position, number->word.size(), number->stand_in);
      values.push_back(number->value);
      position += number->word.size();
    } else if (is_part_of_number(character)) {
      const auto end = std::find_if_not(rest.begin(), rest.end(), is_part_of_number);
      const std::string_view token = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
      for (const PythonNumber& candidate : python_numbers) {
        if (token == candidate.stand_in) {
          values.push_back(token.front() == '-' ? -0.0 : 0.0);
        }
      }
      position += token.size();
    } else {
      ++position;
    }
  }
  return result;
}

/// Builds the value from the parser's events.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::deque<double> python_values, int depth_limit)
      : python_values_(std::move(python_values)), depth_limit_(depth_limit) {}

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(std::int64_t value) override { return add(Json(value)); }
  bool number_unsigned(std::uint64_t value) override {
    return value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
               ? add(Json(static_cast<double>(value)))
               : add(Json(value));
  }
  bool number_float(double value, const std::string& token) override {
    const bool is_stand_in = std::any_of(std::begin(python_numbers), std::end(python_numbers),
                                         [&](const PythonNumber& number) { return token == number.stand_in; });
    if (is_stand_in && !python_values_.empty()) {
      value = python_values_.front();
      python_values_.pop_front();
    }
    return add(Json(value));
  }
  bool string(std::string& value) override { return add(text_of(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open({.is_object = true}); }
  bool start_array(std::size_t) override { return open({.is_object = false}); }
  bool key(std::string& value) override {
    open_.back().members.push_back({value, Json()});
    return true;
  }
  bool end_object() override {
    Container finished = std::move(open_.back());
    open_.pop_back();
    trim(finished.members);
    return add(Json::object_from(std::move(finished.members)));
  }
  bool end_array() override {
    Container finished = std::move(open_.back());
    open_.pop_back();
    trim(finished.elements);
    return add(Json::array_from(std::move(finished.elements)));
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    error_position_ = position > 0 ? position - 1 : 0;
    error_ = error.what();
    return false;
  }

  const std::string& error() const { return error_; }
  std::size_t error_position() const { return error_position_; }
  Json take() { return std::move(root_); }

 private:
  /// An array or object that is being parsed; its last member may lack a value.
  struct Container {
    bool is_object = false;
    std::vector<Json> elements = {};
    std::vector<Json::Member> members = {};
  };

  /// Releases a vector's unused capacity. That of large vectors takes no physical memory until it is written.
  template <class T>
  static void trim(std::vector<T>& values) {
    constexpr std::size_t small = 4096;
    if (values.size() < small) values.shrink_to_fit();
  }

  /// Configurations repeat a few texts many times: equal texts share their memory.
  Json text_of(const std::string& text) {
    constexpr std::size_t longest = 64;
    constexpr std::size_t maximum = 4096;
    if (text.size() > longest) return Json(text);
    const auto known = texts_.find(text);
    if (known != texts_.end()) return known->second;
    Json value(text);
    if (texts_.size() < maximum) texts_.emplace(text, value);
    return value;
  }

  bool open(Container container) {
    if (static_cast<int>(open_.size()) >= depth_limit_) {
      error_ = fmt::format("arrays and objects nest deeper than {} levels", depth_limit_);
      return false;
    }
    open_.push_back(std::move(container));
    return true;
  }

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_object) {
      open_.back().members.back().value = std::move(value);
    } else {
      open_.back().elements.push_back(std::move(value));
    }
    return true;
  }

  std::deque<double> python_values_;
  int depth_limit_;
  std::vector<Container> open_;
  std::unordered_map<std::string, Json> texts_;
  Json root_;
  std::string error_;
  std::size_t error_position_ = std::string::npos;
};

/// nlohmann's message from its reason on, without the library's prefix and its own count of lines.
std::string reason_of(const std::string& message) {
  constexpr std::string_view marks[] = {"syntax error ", "invalid ", "number overflow "};
  std::size_t start = std::string::npos;
  for (const std::string_view mark : marks) {
    start = std::min(start, message.find(mark));
  }
  return start == std::string::npos ? message : message.substr(start);
}

}  // namespace

Json Json::parse(std::string_view text, std::string_view name, int depth_limit) {
  std::deque<double> python_values;
  std::string replaced;
  std::string_view readable = text;
  if (text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos) {
    replaced = hide_python_numbers(text, python_values);
    readable = replaced;
  }
  Builder builder(std::move(python_values), depth_limit);
  if (nlohmann::json::sax_parse(readable.begin(), readable.end(), &builder)) {
    return builder.take();
  }
  if (builder.error_position() == std::string::npos) {
    throw ValueError(fmt::format("{} cannot be read: {}", name, builder.error()));
  }
  const std::string_view before = text.substr(0, std::min(builder.error_position(), text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t last_break = before.rfind('\n');
  const std::size_t column = before.size() - (last_break == std::string_view::npos ? 0 : last_break + 1) + 1;
  throw ValueError(fmt::format("{} is not valid JSON at line {}, column {} (character {}): {}", name, line, column,
                               before.size(), reason_of(builder.error())));
}

}  // namespace rhyton::io
