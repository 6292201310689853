#include <rhyton/framework/distribute/remote_graph.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/control_flow_op.h>
#include <rhyton/framework/ops/op_registry.h>
#include <rhyton/framework/ops/overlapped_reductions.h>

namespace rhyton::distribute {
namespace {

constexpr std::size_t max_nodes = std::size_t{1} << 20;
constexpr std::size_t max_name_bytes = 1024;

[[noreturn]] void throw_malformed(const std::string& problem) {
  throw ValueError("A graph that was sent is malformed: " + problem + ".");
}

class GraphBuilder {
 public:
  GraphBuilder(const RemoteGraph& description, std::size_t max_bytes)
      : description_(description), bytes_left_(max_bytes) {}

  graph::Graph build(std::span<const Tensor> constants, std::span<const Variable> variables) {
    if (description_.nodes.size() > max_nodes) throw_malformed("it has more than a million nodes");
    for (const RemoteGraph::Input& input : description_.inputs) {
      take_bytes(input.spec);
      if (input.batch_axis < -1 || input.batch_axis >= input.spec.shape.rank()) {
        throw_malformed("an input of shape " + input.spec.shape.to_string() + " carries its batch on axis " +
                        std::to_string(input.batch_axis));
      }
      values_.push_back(graph_.add_input({input.spec, input.batch_axis}));
    }
    for (const Tensor& constant : constants) values_.push_back(graph_.add_constant(constant));
    for (const Variable& variable : variables) values_.push_back(graph_.add_variable(variable));
    for (const RemoteGraph::Node& node : description_.nodes) add(node);
    for (const std::int32_t output : description_.outputs) graph_.outputs.push_back(value(output));
    std::set<std::int32_t> updated;
    for (const RemoteGraph::Update& update : description_.updates) {
      if (update.variable < 0 || static_cast<std::size_t>(update.variable) >= variables.size()) {
        throw_malformed("it assigns variable " + std::to_string(update.variable) + " of " +
                        std::to_string(variables.size()));
      }
      const Variable& variable = variables[static_cast<std::size_t>(update.variable)];
      const graph::ValueId assigned = value(update.value);
      if (!(graph_.value(assigned).spec == variable.spec())) throw_malformed("it assigns a value of another spec");
      if (!updated.insert(update.variable).second) throw_malformed("it assigns a variable twice");
      graph_.updates.push_back({variable, assigned});
    }
    return std::move(graph_);
  }

 private:
  graph::ValueId value(std::int32_t id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= values_.size()) {
      throw_malformed("value " + std::to_string(id) + " is used where there are " + std::to_string(values_.size()));
    }
    return values_[static_cast<std::size_t>(id)];
  }

  void take_bytes(const TensorSpec& spec) { bytes_left_ = left_of(bytes_left_, spec, "The values of a graph"); }

  void add(const RemoteGraph::Node& node) {
    std::vector<graph::ValueId> inputs;
    for (const std::int32_t input : node.inputs) inputs.push_back(value(input));
    const std::vector<TensorSpec> specs = graph_.specs_of(inputs);
    const OpPtr op = make_op(node.op, node.attributes, specs);
    const std::vector<TensorSpec> outputs = op->infer(specs);
    for (const TensorSpec& output : outputs) take_bytes(output);
    const graph::NodeId id = graph_.add_node(op, std::move(inputs), outputs);
    if (node.scope.size() <= max_name_bytes) graph_.set_scope_if_empty(id, node.scope);
    for (const graph::ValueId output : graph_.node(id).outputs) values_.push_back(output);
  }

  const RemoteGraph& description_;
  std::size_t bytes_left_;
  graph::Graph graph_;
  std::vector<graph::ValueId> values_;
};

}  // namespace

std::size_t left_of(std::size_t limit, const TensorSpec& spec, const std::string& what) {
  std::size_t left = limit / size_of(spec.dtype);
  for (const std::int64_t length : spec.shape) left /= static_cast<std::size_t>(std::max<std::int64_t>(length, 1));
  if (left == 0) throw ResourceExhaustedError(what + " that was sent have more bytes together than the limit.");
  std::size_t bytes = size_of(spec.dtype);
  for (const std::int64_t length : spec.shape) bytes *= static_cast<std::size_t>(std::max<std::int64_t>(length, 1));
  return limit - bytes;
}

void require_sendable(const Op& op, const std::string& device) {
  if (is_readable_op(op.name())) return;
  std::string reason = "it is not an op of Rhyton's own that graphs can have before they are planned";
  if (dynamic_cast<const ControlFlowOp*>(&op) != nullptr) reason = "its branches or its loop have bodies of their own";
  if (dynamic_cast<const AllReduceOp*>(&op) != nullptr || dynamic_cast<const HalfOfAllReduceOp*>(&op) != nullptr) {
    reason = "it sums over replicas";
  }
  throw NotImplementedError("Op " + std::string(op.name()) + " cannot run on " + device + ", which is a device of " +
                            "another task: " + reason + ".");
}

std::vector<Variable> variables_of(const graph::Graph& graph) {
  std::vector<Variable> variables;
  std::set<const void*> known;
  for (const graph::Value& value : graph.values()) {
    if (value.kind != graph::Value::Kind::variable) continue;
    if (known.insert(value.variable.identity()).second) variables.push_back(value.variable);
  }
  for (const graph::Update& update : graph.updates) {
    if (known.insert(update.variable.identity()).second) variables.push_back(update.variable);
  }
  return variables;
}

RemoteGraph describe(const graph::Graph& graph, const std::string& device, std::vector<Tensor>& constants) {
  RemoteGraph description;
  std::unordered_map<graph::ValueId, std::int32_t> numbers;
  std::int32_t count = 0;
  for (const graph::ValueId input : graph.inputs()) {
    const graph::Value& value = graph.value(input);
    description.inputs.push_back({value.spec, value.batch_axis});
    numbers[input] = count++;
  }
  const auto size = static_cast<graph::ValueId>(graph.values().size());
  for (graph::ValueId id = 0; id < size; ++id) {
    if (graph.value(id).kind != graph::Value::Kind::constant) continue;
    constants.push_back(graph.value(id).constant);
    numbers[id] = count++;
  }
  std::unordered_map<const void*, std::int32_t> places;
  std::unordered_map<const void*, std::int32_t> of_variables;
  for (const Variable& variable : variables_of(graph)) {
    places[variable.identity()] = static_cast<std::int32_t>(description.variables.size());
    of_variables[variable.identity()] = count++;
    description.variables.push_back({variable.spec(), variable.carries_batch()});
  }
  for (graph::ValueId id = 0; id < size; ++id) {
    const graph::Value& value = graph.value(id);
    if (value.kind == graph::Value::Kind::variable) numbers[id] = of_variables.at(value.variable.identity());
  }
  for (const graph::Node& node : graph.nodes()) {
    require_sendable(*node.op, device);
    RemoteGraph::Node sent{
        .op = std::string(node.op->name()), .attributes = node.op->attributes(), .inputs = {}, .scope = node.scope};
    for (const graph::ValueId input : node.inputs) sent.inputs.push_back(numbers.at(input));
    for (const graph::ValueId output : node.outputs) numbers[output] = count++;
    description.nodes.push_back(std::move(sent));
  }
  for (const graph::ValueId output : graph.outputs) description.outputs.push_back(numbers.at(output));
  for (const graph::Update& update : graph.updates) {
    description.updates.push_back({places.at(update.variable.identity()), numbers.at(update.value)});
  }
  return description;
}

graph::Graph build_graph(const RemoteGraph& description, std::span<const Tensor> constants,
                         std::span<const Variable> variables, std::size_t max_bytes) {
  return GraphBuilder(description, max_bytes).build(constants, variables);
}

}  // namespace rhyton::distribute
