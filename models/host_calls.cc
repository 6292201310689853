#include <rhyton/models/host_calls.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/models/functional_graph.h>
#include <rhyton/models/model_impl.h>

namespace rhyton::models {
namespace {

using layers::SymbolicTensor;

bool is_string(const TensorSpec& spec) { return spec.dtype == string_dtype; }

/// The first argument of a call of a model with the model's inputs in their order, each an index into `node.inputs`.
std::vector<std::size_t> order_of_inputs(const layers::CallNode& node, const ModelImpl& model) {
  std::size_t next = 0;
  const layers::CallArguments arguments =
      layers::map_leaves(node.arguments, [&](const layers::Argument& leaf) -> layers::Argument {
        if (!leaf.is_symbolic()) return leaf;
        return static_cast<std::int64_t>(next++);
      });
  std::vector<std::size_t> order;
  if (arguments.args.empty()) return order;
  layers::for_each_leaf(model.arrange_inputs(arguments.args.front()), [&](const layers::Argument& leaf) {
    if (leaf.is_number()) order.push_back(static_cast<std::size_t>(leaf.number().as_integer()));
  });
  return order;
}

}  // namespace

HostCalls::HostCalls(const FunctionalGraph& graph) : inputs_(graph.inputs()) {
  std::vector<Place> inputs;
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs.emplace_back(new_place());
  add(graph, inputs);
  remove_unused();
  for (const SymbolicTensor& output : graph.outputs()) {
    if (is_string(output.spec())) string_output_ = output.node()->layer->name();
  }
}

std::vector<HostCalls::Place> HostCalls::add(const FunctionalGraph& graph, const std::vector<Place>& inputs) {
  std::map<TensorKey, std::size_t> known;
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    if (!inputs[i]) continue;
    Call call = {.input = graph.inputs()[i], .arguments = {*inputs[i]}, .results = {new_place()}};
    if (graph.inputs().size() > 1) call.path = i;
    known.emplace(key_of(graph.inputs()[i]), call.results.front());
    calls_.push_back(std::move(call));
  }
  const auto place_of = [&](const SymbolicTensor& tensor) -> Place {
    const auto found = known.find(key_of(tensor));
    return found == known.end() ? Place() : Place(found->second);
  };
  for (const layers::CallNode* const node : graph.calls()) {
    std::vector<Place> arguments;
    for (const SymbolicTensor& input : node->inputs) arguments.push_back(place_of(input));
    std::vector<Place> results;
    if (dynamic_cast<const layers::HostLayer*>(node->layer.get()) != nullptr) {
      results = add_call(*node, arguments, true);
      if (results.empty()) too_late_ = node->layer->name();
    } else if (const auto* const model = dynamic_cast<const ModelImpl*>(node->layer.get());
               model != nullptr && model->graph() != nullptr) {
      std::vector<Place> inner;
      for (const std::size_t i : order_of_inputs(*node, *model)) inner.push_back(arguments.at(i));
      inner.resize(model->graph()->inputs().size());
      results = add(*model->graph(), inner);
    } else if (model == nullptr && node->layer->variables().empty()) {
      results = add_call(*node, arguments, false);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i]) known.emplace(std::pair(node, static_cast<int>(i)), *results[i]);
    }
  }
  std::vector<Place> outputs;
  for (const SymbolicTensor& output : graph.outputs()) outputs.push_back(place_of(output));
  return outputs;
}

std::vector<HostCalls::Place> HostCalls::add_call(const layers::CallNode& node, const std::vector<Place>& arguments,
                                                  bool is_host_call) {
  Call call = {
      .node = std::make_shared<const layers::CallNode>(node), .is_host_call = is_host_call, .specs = node.outputs};
  for (const Place& argument : arguments) {
    if (!argument) return {};
    call.arguments.push_back(*argument);
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) call.results.push_back(new_place());
  calls_.push_back(call);
  return {call.results.begin(), call.results.end()};
}

void HostCalls::remove_unused() {
  std::set<std::size_t> used;
  std::vector<Call> kept;
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
    const auto is_used = [&](std::size_t result) { return used.contains(result); };
    if (!call->is_host_call && std::none_of(call->results.begin(), call->results.end(), is_used)) continue;
    used.insert(call->arguments.begin(), call->arguments.end());
    kept.push_back(std::move(*call));
  }
  calls_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

void HostCalls::require_runnable(const std::string& model) const {
  if (!too_late_.empty()) {
    throw NotImplementedError(
        "Model '" + model + "' cannot be compiled: its layer '" + too_late_ +
        "' computes on the host, before the step, but takes what layers with weights compute. Call the "
        "model itself, or compile it with run_eagerly=True.");
  }
  if (!string_output_.empty()) {
    throw NotImplementedError("Model '" + model + "' cannot be compiled: its output '" + string_output_ +
                              "' is strings. Call the model itself.");
  }
}

std::vector<Tensor> HostCalls::run(const std::vector<Tensor>& inputs) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) require_kind_of(inputs_[i], inputs.at(i).spec());
  std::vector<Tensor> values = inputs;
  values.resize(places_);
  std::vector<Tensor> arrays;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!is_string(inputs_[i].spec())) arrays.push_back(inputs[i]);
  }
  const std::int64_t samples = inputs.front().rank() > 0 ? inputs.front().shape()[0] : 0;
  for (const Call& call : calls_) {
    std::vector<Tensor> arguments;
    for (const std::size_t place : call.arguments) arguments.push_back(values[place]);
    if (call.node == nullptr) {
      values[call.results.front()] = standardized_input(arguments.front(), call.input, call.path);
      continue;
    }
    const std::vector<Tensor> results = call.node->layer->invoke(call.node->arguments_with(arguments));
    for (std::size_t i = 0; i < results.size(); ++i) {
      values[call.results.at(i)] = results[i];
      if (!call.is_host_call || is_string(call.specs[i])) continue;
      if (results[i].rank() == 0 || results[i].shape()[0] != samples) {
        throw ValueError("Layer '" + call.node->layer->name() + "' (of type " + call.node->layer->class_name() +
                         ") returned an array of shape " + results[i].shape().to_string() + " for a batch of " +
                         std::to_string(samples) +
                         " samples. In a model the samples must be its first axis: give the Input a `shape` with an "
                         "axis, such as {1}.");
      }
      arrays.push_back(results[i]);
    }
  }
  return arrays;
}

HostCalls::StepInputs HostCalls::step_inputs(const std::vector<Tensor>& arrays) const {
  StepInputs step;
  auto array = arrays.begin();
  const std::int64_t samples = arrays.at(0).shape()[0];
  for (const SymbolicTensor& input : inputs_) {
    if (!is_string(input.spec())) {
      step.inputs.push_back(*array++);
      continue;
    }
    Shape shape = input.shape();
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (axis == 0 || shape[axis] < 0) shape = shape.with(axis, axis == 0 ? samples : 1);
    }
    step.inputs.push_back(layers::without_elements({shape, string_dtype}));
  }
  for (const Call& call : calls_) {
    if (!call.is_host_call) continue;
    std::vector<Tensor> results;
    for (const TensorSpec& spec : call.specs) {
      results.push_back(is_string(spec) ? layers::without_elements({{samples}, string_dtype}) : *array++);
    }
    step.results.push_back({.layer = call.node->layer.get(), .outputs = std::move(results)});
  }
  return step;
}

}  // namespace rhyton::models
