// Operators on symbolic tensors, which Keras saves as separate entries among the layers.

#include <rhyton/models/operations.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/layers/symbolic_arithmetic.h>
#include <rhyton/models/operation_layers.h>

namespace rhyton::models {
namespace {

using io::Json;
using layers::Arithmetic;
using layers::Layer;

[[noreturn]] void throw_unsupported(const Json& entry) {
  throw NotImplementedError(
      "Rhyton has no operation '" + entry["class_name"].as_string() + "' (" + entry.get_or("module", "keras.ops") +
      ") for symbolic tensors, which '" + entry["name"].as_string() +
      "' is. There are +, - and * of two tensors of one rank, +, -, * and / with a number, ** and x[...].");
}

/// What an operator is called with: tensors, of which only rank and dtype count, and numbers.
struct OperationInput {
  std::optional<Scalar> number;
  std::size_t rank = 0;
  DType dtype = DType::float32;
};

std::vector<OperationInput> operands_of(const Json& entry) {
  const Json& nodes = entry["inbound_nodes"];
  // An operation of a model is called once.
  if (nodes.size() != 1 || !nodes[0].is_object()) throw_unsupported(entry);
  std::vector<OperationInput> operands;
  for (const Json& argument : nodes[0]["args"]) {
    if (argument.is_number()) {
      operands.push_back({.number = number_of(argument)});
    } else if (argument.is_object() && argument.get_or("class_name", "") == "__keras_tensor__") {
      const Json& tensor = argument["config"];
      operands.push_back({.number = std::nullopt,
                          .rank = tensor["shape"].size(),
                          .dtype = dtype_from_name(tensor.get_or("dtype", "float32"))});
    } else {
      throw_unsupported(entry);
    }
  }
  return operands;
}

Arithmetic arithmetic_of(const Json& entry) {
  const std::string& operation = entry["class_name"].as_string();
  if (operation == "Add") return Arithmetic::add;
  if (operation == "Subtract") return Arithmetic::subtract;
  if (operation == "Multiply") return Arithmetic::multiply;
  if (operation == "Divide" || operation == "TrueDivide") return Arithmetic::divide;
  throw_unsupported(entry);
}

Layer with_number(const Json& entry, const OperationInput& tensor, const Scalar& number, bool is_first) {
  const Arithmetic operation = arithmetic_of(entry);
  if (operation == Arithmetic::divide && (is_first || number.as_double() == 0)) throw_unsupported(entry);
  return layers::arithmetic_layer(operation, tensor.dtype, number, is_first, entry["name"].as_string());
}

}  // namespace

bool is_operation(const Json& entry) {
  const Json* const module = entry.find("module");
  if (module != nullptr) return module->is_string() && module->as_string().starts_with("keras.src.ops.");
  // Legacy files do not say the module. The layers of these names take one list, operators two arguments; a layer named
  // Negative would have more than a name in its configuration.
  constexpr std::array<std::string_view, 7> names = {"Add",        "Subtract", "Multiply", "Divide",
                                                     "TrueDivide", "Power",    "GetItem"};
  const std::string& class_name = entry["class_name"].as_string();
  const bool is_negative = class_name == "Negative" && entry["config"].size() == 1;
  if (!is_negative && std::find(names.begin(), names.end(), class_name) == names.end()) return false;
  const Json& nodes = entry["inbound_nodes"];
  const Json* const arguments = nodes.size() == 1 && nodes[0].is_object() ? nodes[0].find("args") : nullptr;
  return arguments != nullptr && arguments->size() == (is_negative ? 1U : 2U);
}

Layer layer_for_operation(const Json& entry) {
  if (entry["class_name"].as_string() == "Power") return power_layer(entry);
  if (entry["class_name"].as_string() == "GetItem") return get_item_layer(entry);
  const std::vector<OperationInput> operands = operands_of(entry);
  const std::string& name = entry["name"].as_string();
  if (operands.size() == 1 && entry["class_name"].as_string() == "Negative" && !operands[0].number) {
    return layers::arithmetic_layer(Arithmetic::multiply, operands[0].dtype, -1, false, name);
  }
  if (operands.size() != 2) throw_unsupported(entry);
  const OperationInput& first = operands[0];
  const OperationInput& second = operands[1];
  if (first.number && second.number) throw_unsupported(entry);
  if (first.number) return with_number(entry, second, *first.number, true);
  if (second.number) return with_number(entry, first, *second.number, false);
  // Layers broadcast tensors of different ranks in another way.
  if (first.rank != second.rank || arithmetic_of(entry) == Arithmetic::divide) throw_unsupported(entry);
  return layers::arithmetic_layer(arithmetic_of(entry), first.dtype, second.dtype, name);
}

}  // namespace rhyton::models
