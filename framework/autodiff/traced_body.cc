#include <rhyton/framework/autodiff/traced_body.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <rhyton/framework/autodiff/call_recorder.h>
#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/name_scope.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton {
namespace {

// What a tape around the body may watch must not become a constant of it.
graph::Tracer::Surroundings surroundings_now() {
  return is_observed() ? graph::Tracer::Surroundings::inputs_with_constants : graph::Tracer::Surroundings::inputs;
}

}  // namespace

TracedBody::TracedBody(const std::vector<TensorSpec>& arguments, const graph::Function& function)
    : tracer_(surroundings_now()) {
  std::vector<Tensor> tensors;
  for (const TensorSpec& spec : arguments) tensors.push_back(tracer_.input({spec}));
  extend([&] { set_outputs(function(tensors)); });
  for (const graph::Node& node : tracer_.graph().nodes()) {
    if (node.op->is_deterministic()) continue;
    throw NotImplementedError("Op " + std::string(node.op->name()) +
                              " cannot be called within a branch or a loop of a compiled function: all replicas must "
                              "call it equally often.");
  }
}

std::vector<TensorSpec> TracedBody::output_specs() const {
  std::vector<TensorSpec> specs;
  for (const Tensor& output : outputs_) specs.push_back(output.spec());
  return specs;
}

// An output that the body has not used yet becomes an input.
void TracedBody::add_output(const Tensor& output) {
  tracer_.id_of(output);
  outputs_.push_back(output.without_mask());
}

void TracedBody::set_outputs(const std::vector<Tensor>& outputs) {
  outputs_.clear();
  for (const Tensor& output : outputs) add_output(output);
}

TracedBody TracedBody::continued() const {
  TracedBody copy = *this;
  copy.tracer_.take_constants();
  return copy;
}

void TracedBody::extend(threading::FunctionRef<void()> code) {
  // As in a trace: the code may build layers.
  const std::scoped_lock lock(making_mutex());
  const WithoutStepMutex without_mutex;
  CallRecorder recorder(calls_);
  const ListenerScope tracing(tracer_);
  const ListenerScope recording(recorder);
  code();
}

std::vector<Tensor> TracedBody::gradients(std::span<const Tensor> output_gradients,
                                          const std::vector<bool>& needed) const {
  std::vector<Tensor> targets;
  std::vector<Tensor> target_gradients;
  for (std::size_t i = 0; i < output_gradients.size(); ++i) {
    if (output_gradients[i].is_empty()) continue;
    targets.push_back(outputs_[i]);
    target_gradients.push_back(output_gradients[i]);
  }
  std::vector<Tensor> sources;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    const graph::Tracer::Input& input = inputs()[i];
    // The code of the body has used the surrounding tensor itself.
    std::vector<Tensor> values{input.outer.is_empty() ? input.inner : input.outer};
    // As for a tape, the gradient of a variable is that of all its values.
    if (!input.variable.is_empty()) {
      for (Tensor& value : tracer_.values_assigned_to(input.variable)) values.push_back(std::move(value));
    }
    owners.insert(owners.end(), values.size(), i);
    std::ranges::move(values, std::back_inserter(sources));
  }
  // A copy: the calls of the backward pass are recorded, too.
  const std::vector<RecordedCall> calls = calls_;
  const std::vector<Tensor> found = backpropagate(calls, targets, target_gradients, sources);
  std::vector<Tensor> result(needed.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].is_empty()) continue;
    Tensor& sum = result[owners[i]];
    sum = sum.is_empty() ? found[i] : add(sum, found[i]);
  }
  return result;
}

Tensor TracedBody::outer_value(const graph::Tracer::Input& input) {
  return input.variable.is_empty() ? input.outer : input.variable.value();
}

graph::Graph TracedBody::graph() const {
  graph::Tracer tracer = tracer_;
  graph::Graph graph = tracer.finish(outputs_);
  graph.updates.clear();
  return graph;
}

double TracedBody::flops() const {
  const graph::Graph& graph = tracer_.graph();
  double sum = 0;
  for (const graph::Node& node : graph.nodes()) {
    sum += node.op->flops(graph.specs_of(node.inputs), graph.specs_of(node.outputs));
  }
  return sum;
}

graph::Executable::Lease CompiledBody::lease() const {
  const std::scoped_lock lock(mutex_);
  if (executable_ == nullptr) {
    // Constants are folded where the body runs.
    const DeviceScope scope(device_runtime().host());
    executable_ = std::make_unique<graph::Executable>(
        body_->graph(), graph::ExecutableOptions{.name = "body", .device = &device_runtime().host()});
  }
  return executable_->lease();
}

}  // namespace rhyton
