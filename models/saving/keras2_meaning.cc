#include <rhyton/models/saving/keras2_meaning.h>

#include <string>
#include <utility>
#include <vector>

namespace rhyton::saving {
namespace {

using io::Json;

bool is_softmax(const Json& object) {
  const Json* const class_name = object.find("class_name");
  return class_name != nullptr && class_name->is_string() && class_name->as_string() == "Softmax";
}

/// The same object with the last axis in place of None in each Softmax.
Json with_axes(const Json& json) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& entry : json) list.push_back(with_axes(entry));
    return list;
  }
  if (!json.is_object()) return json;
  std::vector<Json::Member> members;
  for (const auto& [key, value] : json.items()) members.push_back({key, with_axes(value)});
  Json result = Json::object_from(std::move(members));
  if (!is_softmax(result)) return result;
  Json* const config = result.find("config");
  Json* const axis = config != nullptr && config->is_object() ? config->find("axis") : nullptr;
  if (axis != nullptr && axis->is_null()) *axis = -1;
  return result;
}

}  // namespace

Json in_meaning_of_keras3(const Json& config, std::string_view keras_version) {
  return keras_version.starts_with("2.") ? with_axes(config) : config;
}

Json in_meaning_of_keras3(const Json& config) {
  const Json* const version = config.is_object() ? config.find("keras_version") : nullptr;
  return in_meaning_of_keras3(config,
                              version != nullptr && version->is_string() ? version->as_string() : std::string());
}

}  // namespace rhyton::saving
