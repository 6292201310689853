#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton::graph {

using ValueId = std::int32_t;
using NodeId = std::int32_t;

/// An argument of a traced function.
struct FunctionInput {
  TensorSpec spec;
  /// The axis that carries the batch, -1 for none.
  int batch_axis = -1;
};

/// A tensor of the graph: an input, a constant, the initial value of a variable, or the output of a node.
struct Value {
  enum class Kind { input, constant, variable, computed };

  TensorSpec spec;
  Kind kind = Kind::computed;
  /// The node that computes it, and the index among that node's outputs.
  NodeId producer = -1;
  int output = 0;
  /// For inputs: the index, and the axis with the batch.
  int input = -1;
  int batch_axis = -1;
  /// For constants.
  Tensor constant;
  /// For variables.
  Variable variable;
};

/// One call of an op.
struct Node {
  OpPtr op;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  /// The NameScope that it was called in: the layer. A pass that replaces a node passes its scope on.
  std::string scope = {};
  /// The device that the program chose for it, by a DeviceScope within the traced function; null where it chose none.
  /// Passed on by passes like `scope`.
  LogicalDevice* device = nullptr;
};

/// The value of a variable at the end of the graph.
struct Update {
  Variable variable;
  ValueId value = -1;
};

/// Calls of ops in single-assignment form, in an executable order. Variables are values like others: read once at the
/// start, and written at the end by `updates`.
class Graph {
 public:
  ValueId add_input(const FunctionInput& input);
  ValueId add_constant(const Tensor& tensor);
  ValueId add_variable(const Variable& variable);
  /// Appends a node whose outputs have the specs `outputs`.
  NodeId add_node(const OpPtr& op, std::vector<ValueId> inputs, const std::vector<TensorSpec>& outputs);

  const std::vector<Value>& values() const { return values_; }
  const Value& value(ValueId id) const { return values_[static_cast<std::size_t>(id)]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  std::vector<ValueId> outputs;
  std::vector<Update> updates;
  /// Sets the scope of a node that has none.
  void set_scope_if_empty(NodeId id, const std::string& scope) {
    Node& node = nodes_[static_cast<std::size_t>(id)];
    if (node.scope.empty()) node.scope = scope;
  }
  /// Sets the device of a node that has none.
  void set_device_if_none(NodeId id, LogicalDevice* device) {
    Node& node = nodes_[static_cast<std::size_t>(id)];
    if (node.device == nullptr) node.device = device;
  }

  /// Replaces every variable by another of the same spec.
  void replace_variables(const std::function<Variable(const Variable&)>& replacement);

  /// The specs of the values.
  std::vector<TensorSpec> specs_of(const std::vector<ValueId>& ids) const;

  /// One line per node, for logs and tests: "%3:float32(2, 4) = MatMul(%0, %1) transpose_b=true", followed by " on
  /// /device:CPU:1" if it has a device.
  std::string to_string() const;

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
};

/// Copies `graph` node by node, so that a pass can leave out, replace or insert nodes.
///
/// A pass iterates over the nodes in order and for each either calls `keep`, or maps the old outputs to new values
/// itself.
class Rewriter {
 public:
  explicit Rewriter(const Graph& graph);

  const Graph& source() const { return *source_; }
  Graph& target() { return target_; }
  /// The new value for an old one; inputs, constants and variables are copied at their first use.
  ValueId mapped(ValueId old);
  std::vector<ValueId> mapped(const std::vector<ValueId>& old);
  void map(ValueId old, ValueId fresh);
  /// Copies the node unchanged.
  void keep(const Node& node);
  /// Adds the nodes of a graph without variables, with the target's values `inputs` as its inputs; returns its outputs.
  std::vector<ValueId> insert(const Graph& body, const std::vector<ValueId>& inputs);
  /// Ends the copy: adds outputs and updates.
  Graph finish();

 private:
  const Graph* source_;
  Graph target_;
  std::vector<ValueId> map_;
};

}  // namespace rhyton::graph
