#include <rhyton/framework/device/device_spec.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

constexpr std::array<std::string_view, 2> short_form_types = {"CPU", "GPU"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return result;
}

int parse_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw ValueError("invalid literal for int() with base 10: '" + std::string(text) + "'");
  }
  return value;
}

void set_type(DeviceSpec& spec, std::string type, std::string_view text) {
  if (spec.device_type) {
    throw ValueError("Multiple device types are not allowed while parsing the device spec: " + std::string(text) + ".");
  }
  spec.device_type = std::move(type);
}

void set_index(DeviceSpec& spec, std::string_view index) {
  if (index != "*") spec.device_index = parse_number(index);
}

}  // namespace

DeviceSpec DeviceSpec::parse(std::string_view text) {
  DeviceSpec spec;
  for (const std::string_view field : split(text, '/')) {
    const std::vector<std::string_view> parts = split(field, ':');
    const std::string short_form = upper_case(parts[0]);
    const bool is_short_form =
        std::find(short_form_types.begin(), short_form_types.end(), short_form) != short_form_types.end();
    if (parts.size() == 2 && parts[0] == "job") {
      spec.job = std::string(parts[1]);
    } else if (parts.size() == 2 && parts[0] == "replica") {
      spec.replica = parse_number(parts[1]);
    } else if (parts.size() == 2 && parts[0] == "task") {
      spec.task = parse_number(parts[1]);
    } else if (parts.size() <= 2 && is_short_form) {
      set_type(spec, short_form, text);
      if (parts.size() == 2) set_index(spec, parts[1]);
    } else if (parts.size() == 3 && parts[0] == "device") {
      // The lower-case names of the two common types are accepted here too; other types are used unchanged.
      set_type(spec, parts[1] == "cpu" || parts[1] == "gpu" ? upper_case(parts[1]) : std::string(parts[1]), text);
      set_index(spec, parts[2]);
    } else if (!parts[0].empty()) {
      throw ValueError("Unknown attribute '" + std::string(parts[0]) +
                       "' is encountered while parsing the device spec: '" + std::string(text) + "'.");
    }
  }
  return spec;
}

DeviceSpec DeviceSpec::merged_with(const DeviceSpec& inner) const {
  DeviceSpec merged = *this;
  if (inner.job) merged.job = inner.job;
  if (inner.replica) merged.replica = inner.replica;
  if (inner.task) merged.task = inner.task;
  if (inner.device_type) merged.device_type = inner.device_type;
  if (inner.device_index) merged.device_index = inner.device_index;
  return merged;
}

std::string DeviceSpec::to_string() const {
  std::string text;
  if (job) text += "/job:" + *job;
  if (replica) text += "/replica:" + std::to_string(*replica);
  if (task) text += "/task:" + std::to_string(*task);
  if (device_type) {
    text += "/device:" + *device_type + ":" + (device_index ? std::to_string(*device_index) : std::string("*"));
  }
  return text;
}

}  // namespace rhyton
