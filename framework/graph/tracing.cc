#include <rhyton/framework/graph/tracing.h>

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::graph {
namespace {

class Origin final : public TraceOrigin {};

class Tracer final : public Interpreter {
 public:
  Tensor input(const InputSpec& spec) { return tensor_of(graph_.add_input(spec)); }

  std::vector<Tensor> apply(const OpPtr& op, std::span<const Tensor> inputs) override {
    std::vector<ValueId> ids;
    std::vector<TensorSpec> specs;
    for (const Tensor& input : inputs) {
      ids.push_back(id_of(input));
      specs.push_back(input.spec());
    }
    const NodeId node = graph_.add_node(op, std::move(ids), op->infer(specs));
    graph_.set_device_if_none(node, explicit_device());
    std::vector<Tensor> outputs;
    for (const ValueId id : graph_.node(node).outputs) outputs.push_back(tensor_of(id));
    return outputs;
  }

  Tensor read(const Variable& variable) override {
    auto it = current_.find(variable.identity());
    if (it == current_.end()) {
      it = current_.emplace(variable.identity(), tensor_of(graph_.add_variable(variable))).first;
    }
    return it->second;
  }

  void assign(const Variable& variable, const Tensor& value) override {
    id_of(value);
    // A separate handle, so that a tape can distinguish this read of the variable from the assigned value.
    current_[variable.identity()] = tensor_of(id_of(value));
    if (updates_.emplace(variable.identity(), assigned_.size()).second) assigned_.push_back(variable);
  }

  Graph finish(const std::vector<Tensor>& outputs) {
    for (const Tensor& output : outputs) graph_.outputs.push_back(id_of(output));
    for (const Variable& variable : assigned_) {
      graph_.updates.push_back({variable, id_of(current_.at(variable.identity()))});
    }
    return std::move(graph_);
  }

 private:
  Tensor tensor_of(ValueId id) { return Tensor::traced(graph_.value(id).spec, origin_, id); }

  ValueId id_of(const Tensor& tensor) {
    if (tensor.is_empty()) throw ValueError("A traced function uses an empty tensor.");
    if (tensor.is_traced()) {
      if (tensor.trace_origin() != origin_) {
        throw RuntimeError(
            "A tensor of another graph is used while this one is traced. Tensors that a compiled function "
            "computes must be returned from it, or kept in a Variable.");
      }
      return static_cast<ValueId>(tensor.trace_id());
    }
    auto [it, inserted] = constants_.try_emplace(tensor.identity(), ValueId{-1});
    if (inserted) {
      it->second = graph_.add_constant(tensor);
      // The handle prevents the address from being reused for another tensor.
      captured_.push_back(tensor);
    }
    return it->second;
  }

  Graph graph_;
  std::shared_ptr<const Origin> origin_ = std::make_shared<const Origin>();
  std::unordered_map<const void*, Tensor> current_;
  std::unordered_map<const void*, std::size_t> updates_;
  std::vector<Variable> assigned_;
  std::unordered_map<const void*, ValueId> constants_;
  std::vector<Tensor> captured_;
};

}  // namespace

Graph trace(const std::vector<InputSpec>& inputs, const Function& function) {
  // Traced code may build layers, and records its losses in them.
  const std::scoped_lock lock(making_mutex());
  const WithoutStepMutex nobody_knows_them;
  Tracer tracer;
  const ListenerScope scope(tracer);
  const DeviceScopeRoot root;
  std::vector<Tensor> arguments;
  arguments.reserve(inputs.size());
  for (const InputSpec& input : inputs) arguments.push_back(tracer.input(input));
  return tracer.finish(function(arguments));
}

}  // namespace rhyton::graph
