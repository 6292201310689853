#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_reader.h>
#include <rhyton/framework/ops/op.h>

// The tables that `make_op` reads (op_registry.h): one per family of ops, in the file that has their classes, or in
// op_tables.cc where the classes are public.

namespace rhyton {

/// What an op is made from. `name` is that of the table.
struct OpDescription {
  std::string_view name;
  AttributeReader& attributes;
  std::span<const TensorSpec> inputs;

  const Shape& shape(std::size_t input) const { return inputs[input].shape; }
  int rank(std::size_t input = 0) const { return inputs[input].shape.rank(); }
  /// Throw ValueError, which names the op.
  void require(bool condition, const std::string& expected) const {
    if (!condition) throw ValueError("Op " + std::string(name) + " takes " + expected + ".");
  }
  void require_inputs(std::size_t count) const {
    require(inputs.size() == count, std::to_string(count) + " inputs, got " + std::to_string(inputs.size()));
  }
  void require_same_dtype() const {
    for (const TensorSpec& input : inputs) require(input.dtype == inputs[0].dtype, "inputs of one dtype");
  }
};

/// One op: its name, the number of its inputs, and the function that makes it. The function checks attributes and
/// specs as far as `Op::infer` and the kernels rely on them.
struct OpEntry {
  std::string_view name;
  std::size_t least_inputs = 1;
  std::size_t max_inputs = 1;
  OpPtr (*make)(const OpDescription& op) = nullptr;
};

using OpTable = std::vector<OpEntry>;

/// An op without attributes.
template <class O>
OpEntry plain_op(std::size_t inputs) {
  return {O().name(), inputs, inputs, [](const OpDescription&) -> OpPtr { return std::make_shared<const O>(); }};
}

/// An op that is made from its name.
template <class O>
OpEntry named_op(std::string_view name, std::size_t inputs) {
  return {name, inputs, inputs, [](const OpDescription& op) -> OpPtr { return std::make_shared<const O>(op.name); }};
}

// In the files of their classes.
OpTable elementwise_unary_table();
OpTable elementwise_binary_table();
OpTable elementwise_activation_table();
OpTable elementwise_cast_table();
OpTable special_function_table();
OpTable integer_arithmetic_table();
OpTable softmax_table();
OpTable reduce_table();
OpTable broadcast_table();
OpTable recurrent_table();
OpTable optimizer_update_table();

// In op_tables.cc and random_table.cc.
OpTable parametric_elementwise_table();
OpTable shaping_table();
OpTable indexing_table();
OpTable product_table();
OpTable normalization_table();
OpTable random_table();
OpTable linear_algebra_table();
OpTable sequence_table();

}  // namespace rhyton
