#include <rhyton/framework/ops/attribute_text.h>

#include <array>
#include <charconv>

namespace rhyton {
namespace {

template <class Values>
std::string list(std::string_view name, const Values& values) {
  std::string text = std::string(name) + "=[";
  for (const auto value : values) {
    if (text.back() != '[') text += ",";
    text += std::to_string(value);
  }
  return text + "]";
}

}  // namespace

std::string attribute(std::string_view name, std::int64_t value) {
  return std::string(name) + "=" + std::to_string(value);
}

std::string attribute(std::string_view name, int value) { return attribute(name, std::int64_t{value}); }

std::string attribute(std::string_view name, std::uint64_t value) {
  return std::string(name) + "=" + std::to_string(value);
}

std::string attribute(std::string_view name, double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return std::string(name) + "=" + std::string(digits.data(), end);
}

std::string attribute(std::string_view name, bool value) { return std::string(name) + (value ? "=true" : "=false"); }

std::string attribute(std::string_view name, DType value) {
  return std::string(name) + "=" + std::string(name_of(value));
}

std::string attribute(std::string_view name, const Shape& value) { return list(name, value); }
std::string attribute(std::string_view name, const std::vector<int>& values) { return list(name, values); }
std::string attribute(std::string_view name, const std::vector<std::int64_t>& values) { return list(name, values); }

}  // namespace rhyton
