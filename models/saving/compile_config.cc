#include <rhyton/models/saving/compile_config.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/reading_errors.h>

namespace rhyton::saving {
namespace {

using io::Json;
using models::LossArgument;
using models::LossWeights;
using models::MetricsArgument;

// --- Writing -------------------------------------------------------------------------------------------------------

// New in Keras 3.1; Keras 3.0 refuses unknown arguments.
void leave_out_accumulation(Json& optimizer) {
  Json& config = optimizer["config"];
  const Json* const accumulation = config.find("gradient_accumulation_steps");
  if (accumulation != nullptr && accumulation->is_null()) config.erase("gradient_accumulation_steps");
  if (config.contains("inner_optimizer")) leave_out_accumulation(config["inner_optimizer"]);
}

Json write_optimizer(const optimizers::Optimizer& optimizer) {
  Json object = optimizers::serialize(optimizer);
  leave_out_accumulation(object);
  return object;
}

/// A dictionary with `write` applied to each value of the map.
template <class Map, class Write>
Json write_map(const Map& map, const Write& write) {
  std::vector<Json::Member> members;
  for (const auto& [output, value] : map) members.push_back({output, write(value)});
  return Json::object_from(std::move(members));
}

Json write_loss(const LossArgument& loss) {
  if (loss.is_empty()) return nullptr;
  if (loss.is_map()) return write_map(loss.map(), [](const losses::Loss& entry) { return losses::serialize(entry); });
  if (!loss.is_list()) return losses::serialize(loss.list().front());
  Json list = Json::array();
  for (const losses::Loss& entry : loss.list()) list.push_back(losses::serialize(entry));
  return list;
}

Json write_loss_weights(const LossWeights& weights) {
  if (weights.is_empty()) return nullptr;
  if (!weights.list().empty()) return Json::array_from(weights.list());
  return write_map(weights.map(), [](double weight) { return Json(weight); });
}

Json write_metric_list(const MetricsArgument::List& metrics) {
  Json list = Json::array();
  for (const metrics::MetricArgument& metric : metrics) {
    Json object = metrics::serialize(metric);
    // An argument of the sparse crossentropy that Keras 3.0 does not have.
    Json* const config = object.is_object() ? object.find("config") : nullptr;
    const Json* const ignored = config != nullptr && config->is_object() ? config->find("ignore_class") : nullptr;
    if (ignored != nullptr && ignored->is_null()) config->erase("ignore_class");
    list.push_back(std::move(object));
  }
  return list;
}

Json write_metrics(const MetricsArgument& metrics) {
  if (metrics.is_empty()) return nullptr;
  if (!metrics.list().empty()) return write_metric_list(metrics.list());
  if (!metrics.map().empty()) return write_map(metrics.map(), write_metric_list);
  Json lists = Json::array();
  for (const MetricsArgument::List& list : metrics.lists()) lists.push_back(write_metric_list(list));
  return lists;
}

// --- Reading -------------------------------------------------------------------------------------------------------

/// Whether this is a serialized object and not a map from outputs.
bool is_keras_object(const Json& json) { return json.is_object() && json.contains("class_name"); }

/// Whether the members of a list or map from outputs are such themselves.
bool is_nested(const Json& json) {
  const auto is_structure = [](const Json& entry) {
    return entry.is_array() || (entry.is_object() && !is_keras_object(entry));
  };
  if (json.is_array()) return std::any_of(json.begin(), json.end(), is_structure);
  if (!is_structure(json)) return false;
  return std::any_of(json.items().begin(), json.items().end(),
                     [&](const Json::Member& member) { return is_structure(member.value); });
}

/// The values in a structure of lists and maps in the order of the outputs: maps by key.
void add_leaves(const Json& json, Json& leaves) {
  if (json.is_array()) {
    for (const Json& entry : json) add_leaves(entry, leaves);
  } else if (json.is_object() && !is_keras_object(json)) {
    std::map<std::string, const Json*> sorted;
    for (const auto& [key, entry] : json.items()) sorted.emplace(key, &entry);
    for (const auto& [key, entry] : sorted) add_leaves(*entry, leaves);
  } else {
    leaves.push_back(json);
  }
}

/// A list for nested outputs.
Json without_nesting(const Json& json) {
  if (!is_nested(json)) return json;
  Json leaves = Json::array();
  add_leaves(json, leaves);
  return leaves;
}

LossArgument read_loss(const Json& given) {
  if (given.is_null()) return {};
  const Json json = without_nesting(given);
  if (json.is_array()) {
    std::vector<losses::Loss> list;
    for (const Json& entry : json) list.push_back(losses::deserialize(entry));
    return list;
  }
  if (json.is_object() && !is_keras_object(json)) {
    std::map<std::string, losses::Loss> map;
    for (const auto& [output, entry] : json.items()) map.emplace(output, losses::deserialize(entry));
    return map;
  }
  return losses::deserialize(json);
}

LossWeights read_loss_weights(const Json& given) {
  if (given.is_null()) return {};
  const Json json = without_nesting(given);
  if (json.is_object()) {
    std::map<std::string, double> map;
    for (const auto& [output, weight] : json.items()) map.emplace(output, weight.as_double());
    return map;
  }
  std::vector<double> list;
  if (json.is_array()) {
    for (const Json& weight : json) list.push_back(weight.as_double());
  } else {
    list.push_back(json.as_double());
  }
  return list;
}

/// The metrics of one output: a list, one alone, or null for none.
MetricsArgument::List read_metric_list(const Json& json) {
  MetricsArgument::List list;
  if (json.is_null()) return list;
  if (!json.is_array()) return {metrics::deserialize(json)};
  for (const Json& entry : json) list.push_back(metrics::deserialize(entry));
  return list;
}

MetricsArgument read_metrics(const Json& json) {
  if (json.is_null() || (json.is_array() && json.empty())) return {};
  if (json.is_object() && !is_keras_object(json)) {
    std::map<std::string, MetricsArgument::List> map;
    for (const auto& [output, entry] : json.items()) map.emplace(output, read_metric_list(entry));
    return map;
  }
  if (json.is_array()) {
    bool has_lists = false;
    for (const Json& entry : json) has_lists = has_lists || entry.is_array() || entry.is_null();
    if (has_lists) {
      std::vector<MetricsArgument::List> lists;
      for (const Json& entry : json) lists.push_back(read_metric_list(entry));
      return lists;
    }
  }
  return read_metric_list(json);
}

/// The result of `read`; its errors name the argument.
template <class Read>
auto naming_argument(const char* name, const Read& read) {
  return describing_errors(read, [&](const std::string& message) {
    return "The argument `" + std::string(name) + "` of `compile` cannot be read: " + message;
  });
}

const Json& member_or_null(const Json& config, const char* key) {
  static const Json null;
  const Json* const member = config.find(key);
  return member == nullptr ? null : *member;
}

}  // namespace

Json serialize_compile_config(const models::CompileOptions& options) {
  return Json::object({
      {"optimizer", write_optimizer(options.optimizer)},
      {"loss", write_loss(options.loss)},
      {"loss_weights", write_loss_weights(options.loss_weights)},
      {"metrics", write_metrics(options.metrics)},
      {"weighted_metrics", write_metrics(options.weighted_metrics)},
      {"run_eagerly", options.run_eagerly},
      {"steps_per_execution", 1},
      {"jit_compile", false},
  });
}

models::CompileOptions deserialize_compile_config(const Json& config) {
  if (!config.is_object()) {
    throw ValueError("Expected the arguments of `compile` as an object. Received: " + config.dump());
  }
  models::CompileOptions options;
  const auto read = [&](const char* name, auto reader) {
    return naming_argument(name, [&] { return reader(member_or_null(config, name)); });
  };
  const optimizers::Optimizer optimizer = read("optimizer", optimizers::deserialize);
  if (!optimizer.is_empty()) options.optimizer = optimizer;
  options.loss = read("loss", read_loss);
  options.loss_weights = read("loss_weights", read_loss_weights);
  options.metrics = read("metrics", read_metrics);
  options.weighted_metrics = read("weighted_metrics", read_metrics);
  options.run_eagerly = config.get_or("run_eagerly", false);
  return options;
}

}  // namespace rhyton::saving
