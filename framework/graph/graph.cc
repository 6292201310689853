#include <rhyton/framework/graph/graph.h>

#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/ops/name_scope.h>

namespace rhyton::graph {

ValueId Graph::add_input(const FunctionInput& input) {
  Value value;
  value.spec = input.spec;
  value.kind = Value::Kind::input;
  value.input = static_cast<int>(inputs_.size());
  value.batch_axis = input.batch_axis;
  values_.push_back(std::move(value));
  inputs_.push_back(static_cast<ValueId>(values_.size()) - 1);
  return inputs_.back();
}

ValueId Graph::add_constant(const Tensor& tensor) {
  Value value;
  value.spec = tensor.spec();
  value.kind = Value::Kind::constant;
  value.constant = tensor;
  values_.push_back(std::move(value));
  return static_cast<ValueId>(values_.size()) - 1;
}

ValueId Graph::add_variable(const Variable& variable) {
  Value value;
  value.spec = variable.spec();
  value.kind = Value::Kind::variable;
  value.variable = variable;
  values_.push_back(std::move(value));
  return static_cast<ValueId>(values_.size()) - 1;
}

NodeId Graph::add_node(const OpPtr& op, std::vector<ValueId> inputs, const std::vector<TensorSpec>& outputs) {
  const auto id = static_cast<NodeId>(nodes_.size());
  Node node{op, std::move(inputs), {}, NameScope::current()};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Value value;
    value.spec = outputs[i];
    value.producer = id;
    value.output = static_cast<int>(i);
    values_.push_back(std::move(value));
    node.outputs.push_back(static_cast<ValueId>(values_.size()) - 1);
  }
  nodes_.push_back(std::move(node));
  return id;
}

void Graph::replace_variables(const std::function<Variable(const Variable&)>& replacement) {
  for (Value& value : values_) {
    if (value.kind == Value::Kind::variable) value.variable = replacement(value.variable);
  }
  for (Update& update : updates) update.variable = replacement(update.variable);
}

std::vector<TensorSpec> Graph::specs_of(const std::vector<ValueId>& ids) const {
  std::vector<TensorSpec> specs;
  specs.reserve(ids.size());
  for (const ValueId id : ids) specs.push_back(value(id).spec);
  return specs;
}

std::string Graph::to_string() const {
  std::string text;
  const auto describe = [&](ValueId id) {
    const Value& v = value(id);
    return fmt::format("%{}:{}{}", id, name_of(v.spec.dtype), v.spec.shape.to_string());
  };
  for (std::size_t id = 0; id < values_.size(); ++id) {
    const Value& v = values_[id];
    if (v.kind == Value::Kind::computed) continue;
    const std::string source = v.kind == Value::Kind::input      ? fmt::format("input {}", v.input)
                               : v.kind == Value::Kind::constant ? std::string("constant")
                                                                 : "variable " + v.variable.path();
    text += describe(static_cast<ValueId>(id)) + " = " + source + "\n";
  }
  for (const Node& node : nodes_) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) text += (i > 0 ? ", " : "") + describe(node.outputs[i]);
    text += fmt::format(" = {}(", node.op->name());
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      text += fmt::format("{}%{}", i > 0 ? ", " : "", node.inputs[i]);
    text += ")";
    if (const std::string attributes = node.op->attributes(); !attributes.empty()) text += " " + attributes;
    if (node.device != nullptr) text += " on " + node.device->name();
    text += "\n";
  }
  for (const ValueId id : outputs) text += fmt::format("output %{}\n", id);
  for (const Update& update : updates) text += fmt::format("{} <- %{}\n", update.variable.path(), update.value);
  return text;
}

Rewriter::Rewriter(const Graph& graph) : source_(&graph), map_(graph.values().size(), -1) {
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    map(id, target_.add_input({value.spec, value.batch_axis}));
  }
}

ValueId Rewriter::mapped(ValueId old) {
  ValueId& fresh = map_[static_cast<std::size_t>(old)];
  if (fresh < 0) {
    const Value& value = source_->value(old);
    if (value.kind == Value::Kind::constant) {
      fresh = target_.add_constant(value.constant);
    } else if (value.kind == Value::Kind::variable) {
      fresh = target_.add_variable(value.variable);
    } else {
      throw RuntimeError("A graph pass uses a value before it has been computed.");
    }
  }
  return fresh;
}

std::vector<ValueId> Rewriter::mapped(const std::vector<ValueId>& old) {
  std::vector<ValueId> fresh;
  fresh.reserve(old.size());
  for (const ValueId id : old) fresh.push_back(mapped(id));
  return fresh;
}

void Rewriter::map(ValueId old, ValueId fresh) {
  map_[static_cast<std::size_t>(old)] = fresh;
  const NodeId before = source_->value(old).producer;
  const NodeId now = target_.value(fresh).producer;
  if (before < 0 || now < 0) return;
  target_.set_scope_if_empty(now, source_->node(before).scope);
  target_.set_device_if_none(now, source_->node(before).device);
}

void Rewriter::keep(const Node& node) {
  const NodeId id = target_.add_node(node.op, mapped(node.inputs), source_->specs_of(node.outputs));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) map(node.outputs[i], target_.node(id).outputs[i]);
}

std::vector<ValueId> Rewriter::insert(const Graph& body, const std::vector<ValueId>& inputs) {
  std::vector<ValueId> fresh(body.values().size(), -1);
  for (std::size_t i = 0; i < body.values().size(); ++i) {
    const Value& value = body.values()[i];
    if (value.kind == Value::Kind::input) fresh[i] = inputs.at(static_cast<std::size_t>(value.input));
    if (value.kind == Value::Kind::constant) fresh[i] = target_.add_constant(value.constant);
  }
  const auto mapped_of = [&](const std::vector<ValueId>& ids) {
    std::vector<ValueId> result;
    for (const ValueId id : ids) result.push_back(fresh[static_cast<std::size_t>(id)]);
    return result;
  };
  for (const Node& node : body.nodes()) {
    const NodeId id = target_.add_node(node.op, mapped_of(node.inputs), body.specs_of(node.outputs));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      fresh[static_cast<std::size_t>(node.outputs[i])] = target_.node(id).outputs[i];
    }
  }
  return mapped_of(body.outputs);
}

Graph Rewriter::finish() {
  for (const ValueId id : source_->outputs) target_.outputs.push_back(mapped(id));
  for (const Update& update : source_->updates) target_.updates.push_back({update.variable, mapped(update.value)});
  return std::move(target_);
}

}  // namespace rhyton::graph
