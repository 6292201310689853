#include <rhyton/framework/graph/tracer.h>

#include <utility>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>

namespace rhyton::graph {

Tensor Tracer::input(const FunctionInput& spec) {
  inputs_.push_back({tensor_of(graph_.add_input(spec))});
  return inputs_.back().inner;
}

std::vector<Tensor> Tracer::apply(const OpPtr& op, std::span<const Tensor> inputs) {
  std::vector<ValueId> ids;
  std::vector<TensorSpec> specs;
  for (const Tensor& input : inputs) {
    ids.push_back(id_of(input));
    specs.push_back(input.spec());
  }
  const NodeId node = graph_.add_node(op, std::move(ids), op->infer(specs));
  // The body of an op runs where the op runs.
  if (surroundings_ == Surroundings::refused) graph_.set_device_if_none(node, explicit_device());
  std::vector<Tensor> outputs;
  for (const ValueId id : graph_.node(node).outputs) outputs.push_back(tensor_of(id));
  return outputs;
}

Tensor Tracer::read(const Variable& variable) {
  auto it = current_.find(variable.identity());
  if (it == current_.end()) {
    Tensor value;
    if (surroundings_ == Surroundings::refused) {
      value = tensor_of(graph_.add_variable(variable));
    } else {
      value = tensor_of(graph_.add_input({variable.spec()}));
      inputs_.push_back({.inner = value, .variable = variable});
    }
    it = current_.emplace(variable.identity(), value).first;
  }
  return it->second;
}

void Tracer::assign(const Variable& variable, const Tensor& value) {
  // The value before it, for the code around a body: a branch that assigns nothing returns it.
  if (surroundings_ != Surroundings::refused) static_cast<void>(read(variable));
  // A separate handle, so that a tape can distinguish this read of the variable from the assigned value.
  const Tensor own = tensor_of(id_of(value));
  current_[variable.identity()] = own;
  assigned_values_.emplace_back(variable.identity(), own);
  if (updates_.emplace(variable.identity(), assigned_.size()).second) assigned_.push_back(variable);
}

std::vector<Tensor> Tracer::values_assigned_to(const Variable& variable) const {
  std::vector<Tensor> values;
  for (const auto& [identity, value] : assigned_values_) {
    if (identity == variable.identity()) values.push_back(value);
  }
  return values;
}

ValueId Tracer::id_of(const Tensor& tensor) {
  if (tensor.is_empty()) throw ValueError("A traced function uses an empty tensor.");
  if (tensor.is_traced() && tensor.trace_origin() == origin_) return static_cast<ValueId>(tensor.trace_id());
  if (tensor.is_traced() && surroundings_ == Surroundings::refused) {
    throw RuntimeError(
        "A tensor of another graph is used while this one is traced. Tensors that a compiled function "
        "computes must be returned from it, or kept in a Variable.");
  }
  return id_of_outer(tensor);
}

ValueId Tracer::id_of_outer(const Tensor& tensor) {
  auto [it, inserted] = outer_ids_.try_emplace(tensor.identity(), ValueId{-1});
  if (!inserted) return it->second;
  const bool is_input =
      tensor.is_traced() || (surroundings_ == Surroundings::inputs_with_constants && is_floating(tensor.dtype()));
  if (is_input) {
    it->second = graph_.add_input({tensor.spec()});
    inputs_.push_back({.inner = tensor_of(it->second), .outer = tensor.without_mask()});
  } else {
    it->second = graph_.add_constant(tensor);
    // The handle prevents the address from being reused for another tensor.
    constants_.push_back(tensor);
  }
  return it->second;
}

Graph Tracer::finish(const std::vector<Tensor>& outputs) {
  for (const Tensor& output : outputs) graph_.outputs.push_back(id_of(output));
  for (const Variable& variable : assigned_) {
    graph_.updates.push_back({variable, id_of(current_.at(variable.identity()))});
  }
  return std::move(graph_);
}

}  // namespace rhyton::graph
