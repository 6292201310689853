#include <rhyton/models/saving/keras2_meaning.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/layers/keras2_activations.h>

namespace rhyton::saving {
namespace {

using io::Json;

bool is_text(const Json* json, std::string_view text) {
  return json != nullptr && json->is_string() && json->as_string() == text;
}

bool is_of_class(const Json& object, std::string_view class_name) {
  return is_text(object.find("class_name"), class_name);
}

/// The last axis in place of None.
void translate_softmax(Json& config) {
  Json* const axis = config.find("axis");
  if (axis != nullptr && axis->is_null()) *axis = -1;
}

/// The first versions of Keras 2 had no `reset_after`, and reset before the product; the default became the other one.
void translate_gru(Json& config) {
  if (!config.contains("reset_after")) config["reset_after"] = false;
}

/// A function by its name, or as an object with the name as `config`.
void translate_activation(Json& config, const char* key) {
  Json* const function = config.find(key);
  if (function == nullptr) return;
  const Json* const name = function->is_object() ? function->find("config") : function;
  if (is_text(name, "hard_sigmoid")) *function = layers::keras2_hard_sigmoid_name;
}

/// The class by the name that it has now: TensorFlow 1 wrote the one of its version.
void translate_class(Json& object) {
  if (is_of_class(object, "BatchNormalizationV1") || is_of_class(object, "BatchNormalizationV2")) {
    object["class_name"] = "BatchNormalization";
  }
}

/// The same with all objects translated.
Json translated(const Json& json) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& entry : json) list.push_back(translated(entry));
    return list;
  }
  if (!json.is_object()) return json;
  std::vector<Json::Member> members;
  for (const auto& [key, value] : json.items()) members.push_back({key, translated(value)});
  Json result = Json::object_from(std::move(members));
  translate_class(result);
  // It names the shape of the query alone; the call in the model gives all of them.
  if (is_of_class(result, "MultiHeadAttention")) result.erase("build_config");
  Json* const config = result.find("config");
  if (config == nullptr || !config->is_object()) return result;
  if (is_of_class(result, "Softmax")) translate_softmax(*config);
  if (is_of_class(result, "GRU") || is_of_class(result, "GRUCell")) translate_gru(*config);
  translate_activation(*config, "activation");
  translate_activation(*config, "recurrent_activation");
  return result;
}

}  // namespace

Json in_meaning_of_keras3(const Json& config, std::string_view keras_version) {
  return keras_version.starts_with("2.") ? translated(config) : config;
}

Json in_meaning_of_keras3(const Json& config) {
  const Json* const version = config.is_object() ? config.find("keras_version") : nullptr;
  return in_meaning_of_keras3(config,
                              version != nullptr && version->is_string() ? version->as_string() : std::string());
}

}  // namespace rhyton::saving
