#include <rhyton/framework/serialization/config_reader.h>

#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/reading_errors.h>

namespace rhyton {
namespace {

/// Longer values are shown by their beginning.
constexpr std::size_t longest_shown = 200;

std::string shown(const io::Json& json) {
  const std::string text = json.dump();
  return text.size() <= longest_shown ? text : text.substr(0, longest_shown) + "...";
}

/// Calls `read`; what goes wrong in it names the argument, unless the message does so itself.
template <class Read>
auto naming_argument(const char* key, const Read& read) {
  const std::string name = "`" + std::string(key) + "`";
  return describing_errors(read, [&](const std::string& message) {
    return message.find(name) == std::string::npos ? message + " (argument " + name + ")" : message;
  });
}

}  // namespace

ConfigReader::ConfigReader(std::string kind, std::string class_name, const io::Json& config)
    : kind_(std::move(kind)), class_name_(std::move(class_name)), config_(config) {
  if (!config.is_object()) {
    throw ValueError("Expected the config of a " + class_name_ + " " + kind_ + ". Received: " + config.dump());
  }
}

const io::Json* ConfigReader::find(const char* key) {
  seen_.insert(key);
  const io::Json* const value = config_.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void ConfigReader::read(const char* key, const io::Json& json, const char* type, bool is_object,
                        const std::function<void(const io::Json&)>& assign) const {
  if (is_object) {
    naming_argument(key, [&] { assign(json); });
    return;
  }
  try {
    assign(json);
  } catch (const TypeError&) {
    throw TypeError("The argument `" + std::string(key) + "` of " + kind_ + " " + class_name_ + " must be " + type +
                    ". Received: " + key + "=" + shown(json));
  }
}

void ConfigReader::policy(const char* key, std::string& value, bool /*is_written*/) {
  if (const io::Json* const json = find(key)) {
    value = naming_argument(key, [&] { return policy_name(json); });
  }
}

void ConfigReader::ignored(const char* key, const io::Json& only_value) {
  const io::Json* const value = find(key);
  if (value == nullptr || *value == only_value) return;
  throw ValueError("The argument `" + std::string(key) + "` of " + kind_ + " " + class_name_ +
                   " is not supported. Received: " + key + "=" + shown(*value));
}

std::vector<std::string> ConfigReader::unread_keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : config_.items()) {
    if (!seen_.contains(key) && !value.is_null() && !(value.is_bool() && !value.as_bool())) keys.push_back(key);
  }
  return keys;
}

std::string ConfigReader::unread() const {
  std::string left;
  for (const std::string& key : unread_keys()) {
    const io::Json& value = config_[key];
    left += (left.empty() ? "'" : ", '") + key + "': ";
    left += value.is_string() ? "'" + value.as_string() + "'" : value.dump();
  }
  return left;
}

void ConfigReader::finish() const {
  const std::string left = unread();
  if (!left.empty()) {
    throw ValueError("Unrecognized keyword arguments passed to " + class_name_ + ": {" + left + "}");
  }
}

void ConfigReader::throw_missing(const char* key) const {
  throw ValueError("The config of a " + class_name_ + " " + kind_ + " lacks its argument `" + key +
                   "`. Received: " + config_.dump());
}

void ConfigReader::throw_null(const char* key, const char* type) const {
  throw ValueError("The `" + std::string(key) + "` argument of a " + class_name_ + " " + kind_ + " must be " + type +
                   ". Received: " + key + "=None");
}

}  // namespace rhyton
