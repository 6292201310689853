#include <rhyton/layers/layer_config.h>

#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/reading_errors.h>
#include <rhyton/layers/policy.h>

namespace rhyton::layers {
namespace {

/// Longer values are shown by their beginning.
constexpr std::size_t longest_shown = 200;

bool to_bool(const io::Json& json) { return json.as_bool(); }
std::int64_t to_integer(const io::Json& json) { return json.as_int(); }
double to_number(const io::Json& json) { return json.as_double(); }
std::string to_text(const io::Json& json) { return json.as_string(); }

/// What `read` gives; what goes wrong in it names the argument.
template <class Read>
auto naming_argument(const char* key, const Read& read) {
  return describing_errors(read, [&](const std::string& message) { return message + " (argument `" + key + "`)"; });
}

}  // namespace

io::Json shape_to_json(const Shape& shape) {
  io::Json result = io::Json::array();
  for (const std::int64_t length : shape) result.push_back(length < 0 ? io::Json() : io::Json(length));
  return result;
}

Shape shape_from_json(const io::Json& json) {
  if (!json.is_array()) throw ValueError("Expected a shape as a list of lengths. Received: " + json.dump());
  Shape shape;
  for (const io::Json& length : json) {
    if (!length.is_null() && !length.is_int()) {
      throw ValueError("Expected a shape as a list of lengths. Received: " + json.dump());
    }
    shape.push_back(length.is_null() ? -1 : length.as_int());
  }
  return shape;
}

io::Json extended(io::Json config, const io::Json& more) {
  for (const auto& [key, value] : more.items()) config[key] = value;
  return config;
}

ConfigReader::ConfigReader(std::string class_name, const io::Json& config)
    : class_name_(std::move(class_name)), config_(config) {
  if (!config.is_object()) {
    throw ValueError("Expected the config of a " + class_name_ + " layer. Received: " + config.dump());
  }
}

const io::Json* ConfigReader::find(const char* key) {
  seen_.insert(key);
  const io::Json* const value = config_.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void ConfigReader::read(const char* key, bool& value) {
  if (const io::Json* const json = find(key)) value = value_of(key, *json, "a bool", to_bool);
}

void ConfigReader::read(const char* key, int& value) {
  if (const io::Json* const json = find(key)) {
    value = value_of(key, *json, "an integer", [&](const io::Json&) { return config_.get_or(key, value); });
  }
}

void ConfigReader::read(const char* key, std::int64_t& value) {
  if (const io::Json* const json = find(key)) value = value_of(key, *json, "an integer", to_integer);
}

void ConfigReader::read(const char* key, double& value) {
  if (const io::Json* const json = find(key)) value = value_of(key, *json, "a number", to_number);
}

void ConfigReader::read(const char* key, std::string& value) {
  if (const io::Json* const json = find(key)) value = value_of(key, *json, "a string", to_text);
}

void ConfigReader::read(const char* key, Shape& value) {
  if (const io::Json* const json = find(key)) {
    value = naming_argument(key, [&] { return shape_from_json(*json); });
  }
}

void ConfigReader::read(const char* key, Size2& value) {
  const io::Json* const json = find(key);
  if (json == nullptr) return;
  constexpr const char* expected = "a tuple of 2 integers";
  if (json->is_array() && json->size() == 2) {
    value = Size2(value_of(key, (*json)[0], expected, to_integer), value_of(key, (*json)[1], expected, to_integer));
  } else if (json->is_int()) {
    value = Size2(json->as_int());
  } else {
    throw ValueError("The `" + std::string(key) + "` argument must be a tuple of 2 integers. Received " + key + "=" +
                     json->dump());
  }
}

void ConfigReader::read(const char* key, Axes& value) {
  if (const io::Json* const json = find(key)) {
    value = value_of(key, *json, "an integer or a list of integers", &Axes::from_config);
  } else if (config_.contains(key)) {  // for Keras not the default: a Softmax over everything, else an error
    throw ValueError("The `" + std::string(key) + "` argument of a " + class_name_ +
                     " layer must be an integer or a list of integers. Received: " + key + "=None");
  }
}

void ConfigReader::read(const char* key, std::optional<std::int64_t>& value) {
  if (const io::Json* const json = find(key)) value = value_of(key, *json, "an integer", to_integer);
}

void ConfigReader::read(const char* key, std::optional<double>& value) {
  if (const io::Json* const json = find(key)) value = value_of(key, *json, "a number", to_number);
}

void ConfigReader::read(const char* key, ActivationFunction& value) {
  if (const io::Json* const json = find(key)) {
    value = naming_argument(key, [&] { return ActivationFunction::from_config(*json); });
  }
}

void ConfigReader::read(const char* key, Initializer& value) {
  if (const io::Json* const json = find(key)) {
    value = naming_argument(key, [&] { return Initializer::from_config(*json); });
  }
}

void ConfigReader::read(const char* key, Regularizer& value) {
  if (const io::Json* const json = find(key)) {
    value = naming_argument(key, [&] { return Regularizer::from_config(*json); });
  }
}

void ConfigReader::read_dtype(std::string& dtype) {
  const io::Json* const json = find("dtype");
  if (json != nullptr) dtype = naming_argument("dtype", [&] { return policy_name(json); });
}

void ConfigReader::ignore(const char* key, const io::Json& only_value) {
  const io::Json* const value = find(key);
  if (value == nullptr || *value == only_value) return;
  throw ValueError("The argument `" + std::string(key) + "` of layer " + class_name_ +
                   " is not supported. Received: " + key + "=" + value->dump());
}

void ConfigReader::finish() const {
  std::string left;
  for (const auto& [key, value] : config_.items()) {
    // Keys that came with later versions mean nothing as null or false.
    if (seen_.contains(key) || value.is_null() || (value.is_bool() && !value.as_bool())) continue;
    // Said by the first layer of a Sequential model of Keras 2, and by none, where they are always so.
    if (key == "batch_input_shape" || key == "autocast") continue;
    left += (left.empty() ? "" : ", ") + ("'" + key + "': ") +
            (value.is_string() ? "'" + value.as_string() + "'" : value.dump());
  }
  if (!left.empty()) {
    throw ValueError("Unrecognized keyword arguments passed to " + class_name_ + ": {" + left + "}");
  }
}

void ConfigReader::throw_wrong_type(const char* key, const io::Json& json, const char* expected) const {
  std::string received = json.dump();
  if (received.size() > longest_shown) received = received.substr(0, longest_shown) + "...";
  throw TypeError("The argument `" + std::string(key) + "` of layer " + class_name_ + " must be " + expected +
                  ". Received: " + key + "=" + received);
}

void ConfigReader::throw_missing(const char* key) const {
  throw ValueError("The config of a " + class_name_ + " layer lacks its argument `" + key +
                   "`. Received: " + config_.dump());
}

}  // namespace rhyton::layers
