#include <rhyton/layers/keras_object.h>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

io::Json keras_object(std::string_view module, std::string_view class_name, io::Json config) {
  return io::Json::object(
      {{"module", module}, {"class_name", class_name}, {"config", std::move(config)}, {"registered_name", nullptr}});
}

KerasObject read_keras_object(const io::Json& json, std::string_view what) {
  if (json.is_string()) return {json.as_string(), io::Json::object(), {}};
  const io::Json* const class_name = json.is_object() ? json.find("class_name") : nullptr;
  if (class_name == nullptr || !class_name->is_string()) {
    throw ValueError("Could not interpret " + std::string(what) + " identifier: " + json.dump());
  }
  const io::Json* const config = json.find("config");
  const io::Json* const registered = json.find("registered_name");
  return {class_name->as_string(), config == nullptr || config->is_null() ? io::Json::object() : *config,
          registered == nullptr || !registered->is_string() ? std::string() : registered->as_string()};
}

}  // namespace rhyton::layers
