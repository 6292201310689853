#include <rhyton/layers/layer_config.h>

#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/layers/policy.h>

namespace rhyton::layers {

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
  if (const io::Json* const json = find(key)) value = json->as_bool();
}

void ConfigReader::read(const char* key, int& value) {
  find(key);
  value = config_.get_or(key, value);
}

void ConfigReader::read(const char* key, std::int64_t& value) {
  if (const io::Json* const json = find(key)) value = json->as_int();
}

void ConfigReader::read(const char* key, double& value) {
  if (const io::Json* const json = find(key)) value = json->as_double();
}

void ConfigReader::read(const char* key, std::string& value) {
  if (const io::Json* const json = find(key)) value = json->as_string();
}

void ConfigReader::read(const char* key, Shape& value) {
  if (const io::Json* const json = find(key)) value = shape_from_json(*json);
}

void ConfigReader::read(const char* key, Size2& value) {
  const io::Json* const json = find(key);
  if (json == nullptr) return;
  if (json->is_array() && json->size() == 2) {
    value = Size2((*json)[0].as_int(), (*json)[1].as_int());
  } else if (json->is_int()) {
    value = Size2(json->as_int());
  } else {
    throw ValueError("The `" + std::string(key) + "` argument must be a tuple of 2 integers. Received " + key + "=" +
                     json->dump());
  }
}

void ConfigReader::read(const char* key, Axes& value) {
  if (const io::Json* const json = find(key)) {
    value = Axes::from_config(*json);
  } else if (config_.contains(key)) {  // for Keras not the default: a Softmax over everything, else an error
    throw ValueError("The `" + std::string(key) + "` argument of a " + class_name_ +
                     " layer must be an integer or a list of integers. Received: " + key + "=None");
  }
}

void ConfigReader::read(const char* key, std::optional<std::int64_t>& value) {
  if (const io::Json* const json = find(key)) value = json->as_int();
}

void ConfigReader::read(const char* key, std::optional<double>& value) {
  if (const io::Json* const json = find(key)) value = json->as_double();
}

void ConfigReader::read(const char* key, ActivationFunction& value) {
  if (const io::Json* const json = find(key)) value = ActivationFunction::from_config(*json);
}

void ConfigReader::read(const char* key, Initializer& value) {
  if (const io::Json* const json = find(key)) value = Initializer::from_config(*json);
}

void ConfigReader::read(const char* key, Regularizer& value) {
  if (const io::Json* const json = find(key)) value = Regularizer::from_config(*json);
}

void ConfigReader::read_dtype(std::string& dtype) {
  const io::Json* const json = find("dtype");
  if (json != nullptr) dtype = policy_name(json);
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

void ConfigReader::throw_missing(const char* key) const {
  throw ValueError("The config of a " + class_name_ + " layer lacks its argument `" + key +
                   "`. Received: " + config_.dump());
}

}  // namespace rhyton::layers
