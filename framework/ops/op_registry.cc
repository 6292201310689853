#include <rhyton/framework/ops/op_registry.h>

#include <functional>
#include <map>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_reader.h>
#include <rhyton/framework/ops/op_tables.h>

namespace rhyton {
namespace {

using Entries = std::map<std::string_view, OpEntry, std::less<>>;

const Entries& op_entries() {
  static const Entries all = [] {
    Entries result;
    for (const auto& table :
         {&elementwise_unary_table, &elementwise_binary_table, &elementwise_activation_table, &elementwise_cast_table,
          &special_function_table, &integer_arithmetic_table, &softmax_table, &reduce_table, &broadcast_table,
          &recurrent_table, &parametric_elementwise_table, &shaping_table, &indexing_table, &product_table,
          &normalization_table, &random_table, &linear_algebra_table, &sequence_table, &optimizer_update_table}) {
      for (const OpEntry& entry : table()) result.emplace(entry.name, entry);
    }
    return result;
  }();
  return all;
}

}  // namespace

OpPtr make_op(std::string_view name, std::string_view attributes, std::span<const TensorSpec> inputs) {
  const auto found = op_entries().find(name);
  if (found == op_entries().end()) {
    throw NotImplementedError("Op " + std::string(name.substr(0, 100)) + " cannot be made from its name.");
  }
  const OpEntry& entry = found->second;
  if (inputs.size() < entry.least_inputs || inputs.size() > entry.max_inputs) {
    const bool is_one = entry.least_inputs == entry.max_inputs;
    throw ValueError("Op " + std::string(entry.name) + " takes " + std::to_string(entry.least_inputs) +
                     (is_one ? "" : " to " + std::to_string(entry.max_inputs)) + " inputs, got " +
                     std::to_string(inputs.size()) + ".");
  }
  AttributeReader reader(entry.name, attributes);
  OpPtr op = entry.make({.name = entry.name, .attributes = reader, .inputs = inputs});
  reader.finish();
  return op;
}

bool is_readable_op(std::string_view name) { return op_entries().contains(name); }

std::vector<std::string_view> readable_ops() {
  std::vector<std::string_view> names;
  for (const auto& [name, entry] : op_entries()) names.push_back(name);
  return names;
}

}  // namespace rhyton
