#include <rhyton/layers/operations/serialization.h>

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/layers/argument_json.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {

using io::Json;

bool is_operation(const Json& entry) {
  const Json* const module = entry.find("module");
  if (module != nullptr && module->is_string()) {
    return module->as_string().starts_with("keras.src.ops.") ||
           module->as_string().starts_with("keras.src.activations.");
  }
  // Legacy files do not say the module. Layers of the same names have `trainable` and `dtype` in their configuration,
  // or are called with one list; operations such as Cast have an option `dtype`.
  const std::string& class_name = entry["class_name"].as_string();
  const Json* const config = entry.find("config");
  const Json* const nodes = entry.find("inbound_nodes");
  if (find_operation(class_name) == nullptr || config == nullptr || config->contains("trainable") || nodes == nullptr ||
      nodes->empty() || !(*nodes)[0].is_object()) {
    return false;
  }
  if (config->contains("dtype") && is_known_layer({}, class_name)) return false;
  const Json* const args = (*nodes)[0].find("args");
  const bool takes_a_list = args != nullptr && args->size() == 1 && (*args)[0].is_array();
  return !takes_a_list || !is_known_layer({}, class_name);
}

Layer deserialize_operation(const Json& entry) {
  const std::string& class_name = entry["class_name"].as_string();
  const std::string& name = entry["name"].as_string();
  const Operation* const operation = find_operation(class_name);
  if (operation == nullptr) {
    throw NotImplementedError("Rhyton has no operation '" + class_name + "' (" + entry.get_or("module", "keras.ops") +
                              ") for symbolic tensors, which '" + name + "' is.");
  }
  Keywords options;
  std::vector<std::string> keys;
  for (const auto& [key, value] : entry["config"].items()) {
    keys.push_back(key);
    if (key != "name") options.emplace_back(key, argument_from_json(value));
  }
  // Versions before 3.11 refuse a name beside options, and options that they do not know: they get back what they
  // wrote.
  return operation_layer(*operation, options, name, std::move(keys));
}

Json serialize_operation(const Layer& layer) {
  const Operation* const operation = operation_of(*layer.impl());
  if (operation == nullptr) throw ValueError("Layer '" + layer.name() + "' is not an operation.");
  return Json::object({{"module", "keras.src." + operation->module},
                       {"class_name", operation->class_name},
                       {"config", layer.get_config()},
                       {"registered_name", operation->class_name}});
}

}  // namespace rhyton::layers
