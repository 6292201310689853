// Operators on symbolic tensors, which Keras saves as entries of their own beside the layers.

#include <rhyton/models/operations.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/layers/merging.h>
#include <rhyton/layers/rescaling.h>
#include <rhyton/models/operation_layers.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::Layer;

[[noreturn]] void throw_unsupported(const Json& entry) {
  throw NotImplementedError(
      "Rhyton has no operation '" + entry["class_name"].as_string() + "' (" + entry.get_or("module", "keras.ops") +
      ") for symbolic tensors, which '" + entry["name"].as_string() +
      "' is. There are +, - and * of two tensors of one rank, +, -, * and / with a number, ** and x[...].");
}

/// What an operator is called with: tensors, of which only the rank counts, and numbers.
struct Operand {
  std::optional<double> number;
  std::size_t rank;
};

std::vector<Operand> operands_of(const Json& entry) {
  const Json& nodes = entry["inbound_nodes"];
  // An operation of a model is called once.
  if (nodes.size() != 1 || !nodes[0].is_object()) throw_unsupported(entry);
  std::vector<Operand> operands;
  for (const Json& argument : nodes[0]["args"]) {
    if (argument.is_number()) {
      operands.push_back({.number = argument.as_double(), .rank = 0});
    } else if (argument.is_object() && argument.get_or("class_name", "") == "__keras_tensor__") {
      operands.push_back({.number = std::nullopt, .rank = argument["config"]["shape"].size()});
    } else {
      throw_unsupported(entry);
    }
  }
  return operands;
}

/// x · scale + offset for an operator between x and a number.
Layer with_number(const Json& entry, double number, bool is_first) {
  const std::string& operation = entry["class_name"].as_string();
  const std::string& name = entry["name"].as_string();
  if (operation == "Add") return layers::Rescaling(1.0, {.offset = number, .name = name});
  if (operation == "Multiply") return layers::Rescaling(number, {.name = name});
  if (operation == "Subtract") {
    return is_first ? layers::Rescaling(-1.0, {.offset = number, .name = name})
                    : layers::Rescaling(1.0, {.offset = -number, .name = name});
  }
  if (operation == "Divide" || operation == "TrueDivide") {
    if (!is_first && number != 0) return layers::Rescaling(1.0 / number, {.name = name});
  }
  throw_unsupported(entry);
}

Layer with_tensor(const Json& entry) {
  const std::string& operation = entry["class_name"].as_string();
  const std::string& name = entry["name"].as_string();
  if (operation == "Add") return layers::Add({.name = name});
  if (operation == "Subtract") return layers::Subtract({.name = name});
  if (operation == "Multiply") return layers::Multiply({.name = name});
  throw_unsupported(entry);
}

}  // namespace

bool is_operation(const Json& entry) {
  const Json* const module = entry.find("module");
  if (module != nullptr) return module->is_string() && module->as_string().starts_with("keras.src.ops.");
  // Legacy files do not say the module. The layers of these names take one list, operators two arguments.
  constexpr std::array<std::string_view, 7> names = {"Add",        "Subtract", "Multiply", "Divide",
                                                     "TrueDivide", "Power",    "GetItem"};
  if (std::find(names.begin(), names.end(), entry["class_name"].as_string()) == names.end()) return false;
  const Json& nodes = entry["inbound_nodes"];
  const Json* const arguments = nodes.size() == 1 && nodes[0].is_object() ? nodes[0].find("args") : nullptr;
  return arguments != nullptr && arguments->size() == 2;
}

Layer layer_for_operation(const Json& entry) {
  if (entry["class_name"].as_string() == "Power") return power_layer(entry);
  if (entry["class_name"].as_string() == "GetItem") return get_item_layer(entry);
  const std::vector<Operand> operands = operands_of(entry);
  if (operands.size() == 1 && entry["class_name"].as_string() == "Negative" && !operands[0].number) {
    return layers::Rescaling(-1.0, {.name = entry["name"].as_string()});
  }
  if (operands.size() != 2) throw_unsupported(entry);
  const auto& [first, second] = std::pair(operands[0], operands[1]);
  if (first.number && second.number) throw_unsupported(entry);
  if (first.number) return with_number(entry, *first.number, true);
  if (second.number) return with_number(entry, *second.number, false);
  // Layers broadcast tensors of different ranks in another way.
  if (first.rank != second.rank) throw_unsupported(entry);
  return with_tensor(entry);
}

}  // namespace rhyton::models
