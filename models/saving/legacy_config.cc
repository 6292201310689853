#include <rhyton/models/saving/legacy_config.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/metrics/named_metrics.h>
#include <rhyton/models/saving/compile_config.h>
#include <rhyton/models/saving/model_config.h>

namespace rhyton::saving {
namespace {

using io::Json;

bool has_class(const Json& json, std::string_view class_name) {
  const Json* const found = json.is_object() ? json.find("class_name") : nullptr;
  return found != nullptr && found->is_string() && found->as_string() == class_name;
}

/// The name of a custom class is "package>name", that of a class of Keras the one in its source.
std::string legacy_class_name(const Json& object) {
  const Json* const registered = object.find("registered_name");
  const bool is_own =
      registered != nullptr && registered->is_string() && registered->as_string().find('>') != std::string::npos;
  if (is_own) return registered->as_string();
  return layers::source_name_of(object["class_name"].as_string());
}

Json legacy_layer(const Json& object) {
  Json result = Json::object({{"class_name", legacy_class_name(object)}, {"config", object["config"]}});
  if (Json* const layers = result["config"].find("layers"); layers != nullptr && layers->is_array()) {
    for (Json& layer : *layers) layer = legacy_layer(layer);
  }
  for (const char* const key : {"name", "inbound_nodes", "shared_object_id"}) {
    if (const Json* const value = object.find(key)) result[key] = *value;
  }
  return result;
}

/// A short name of a function, which Keras 3 writes to legacy files but cannot read.
struct ShortName {
  std::string_view name;
  const char* function;
  const char* metric;
};
constexpr std::array short_names = {
    ShortName{"mse", "mean_squared_error", "MeanSquaredError"},
    ShortName{"mae", "mean_absolute_error", "MeanAbsoluteError"},
    ShortName{"mape", "mean_absolute_percentage_error", "MeanAbsolutePercentageError"},
    ShortName{"msle", "mean_squared_logarithmic_error", "MeanSquaredLogarithmicError"},
    ShortName{"bce", "binary_crossentropy", "BinaryCrossentropy"},
    ShortName{"kld", "kl_divergence", "KLDivergence"},
    ShortName{"logcosh", "log_cosh", "LogCoshError"},
};

const ShortName* find_short_name(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto found = std::find_if(short_names.begin(), short_names.end(),
                                  [&](const ShortName& short_name) { return short_name.name == name; });
  return found == short_names.end() ? nullptr : &*found;
}

Json metric_object(const std::string& class_name, const std::string& name) {
  return Json::object({{"class_name", class_name}, {"config", Json::object({{"name", name}, {"dtype", "float32"}})}});
}

/// A metric of Keras as an object that keeps its name in the logs: Keras names those that it reads as strings by their
/// class ("AUC" becomes "auc", or "auc_1" where there has been another one). Strings that the shapes resolve stay.
Json legacy_metric(const std::string& name) {
  if (const ShortName* const short_name = find_short_name(name)) return metric_object(short_name->metric, name);
  if (metrics::is_accuracy_by_shape(name)) return name;
  const metrics::Metric metric = metrics::find_named_metric(name);
  const bool is_of_keras = !metric.is_empty() && metrics::serialize(metric).get_or("module", "") == "keras.metrics";
  return is_of_keras ? metric_object(metric.class_name(), name) : Json(name);
}

/// A loss by its long name.
Json legacy_name(const std::string& name, bool is_metric) {
  if (is_metric) return legacy_metric(name);
  const ShortName* const short_name = find_short_name(name);
  return short_name == nullptr ? name : short_name->function;
}

/// Objects among the arguments of `compile`; functions become their names.
Json legacy_objects(const Json& json, bool is_metric) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& entry : json) list.push_back(legacy_objects(entry, is_metric));
    return list;
  }
  if (json.is_string()) return legacy_name(json.as_string(), is_metric);
  if (!json.is_object()) return json;
  if (has_class(json, "function")) return json["config"];
  if (json.contains("class_name") && json.contains("config")) {
    return Json::object({{"class_name", legacy_class_name(json)}, {"config", json["config"]}});
  }
  std::vector<Json::Member> members;
  for (const auto& [key, value] : json.items()) members.push_back({key, legacy_objects(value, is_metric)});
  return Json::object_from(std::move(members));
}

}  // namespace

Json legacy_model_config(const models::Model& model) {
  Json object = serialize_model(model);
  object.erase("compile_config");
  return legacy_layer(object);
}

Json legacy_training_config(const models::CompileOptions& options) {
  const Json current = serialize_compile_config(options);
  Json result = Json::object();
  for (const auto& [key, value] : current.items()) {
    const bool is_metric = key == "metrics" || key == "weighted_metrics";
    if (key != "optimizer") result[key] = legacy_objects(value, is_metric);
  }
  const Json& optimizer = current["optimizer"];
  result["optimizer_config"] =
      Json::object({{"class_name", legacy_class_name(optimizer)}, {"config", optimizer["config"]}});
  return result;
}

Json without_legacy_forms(const Json& config) {
  if (config.is_array()) {
    Json list = Json::array();
    for (const Json& entry : config) list.push_back(without_legacy_forms(entry));
    return list;
  }
  if (!config.is_object()) return config;
  const Json* const items = config.find("items");
  if (items != nullptr && (has_class(config, "__tuple__") || has_class(config, "TensorShape"))) {
    return items->is_null() ? Json() : without_legacy_forms(*items);
  }
  std::vector<Json::Member> members;
  for (const auto& [key, value] : config.items()) {
    if (key != "__passive_serialization__") members.push_back({key, without_legacy_forms(value)});
  }
  return Json::object_from(std::move(members));
}

Json current_training_config(const Json& config) {
  Json current = config;
  const Json* const optimizer = config.is_object() ? config.find("optimizer_config") : nullptr;
  if (optimizer != nullptr) current["optimizer"] = *optimizer;
  return current;
}

models::CompileOptions read_legacy_training_config(const Json& config) {
  if (!config.is_object())
    throw ValueError("Expected the training configuration as an object. Received: " + config.dump());
  return deserialize_compile_config(current_training_config(config));
}

}  // namespace rhyton::saving
