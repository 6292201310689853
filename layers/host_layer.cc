#include <rhyton/layers/host_layer.h>

#include <algorithm>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/layers/call_stack.h>

namespace rhyton::layers {
namespace {

HostResultsScope*& current_scope() {
  thread_local HostResultsScope* scope = nullptr;
  return scope;
}

}  // namespace

std::vector<Tensor> HostLayer::call(const std::vector<Tensor>& inputs, bool /*training*/) {
  if (std::all_of(inputs.begin(), inputs.end(), [](const Tensor& input) { return input.is_concrete(); })) {
    const InitScope eager;
    const DeviceScope cpu(device_runtime().host());
    return call_on_host(inputs);
  }
  if (is_inferring()) return infer_on_host(inputs);
  if (std::optional<std::vector<Tensor>> results = HostResultsScope::next(*this)) return *std::move(results);
  throw NotImplementedError(
      "Layer '" + name() + "' (of type " + class_name() +
      ") computes on the host, before the compiled step of a model, from the inputs of the model alone. Received: a "
      "tensor that the step computes. Compile the model with run_eagerly=True, or call the layer on the data before "
      "the model.");
}

std::vector<TensorSpec> HostLayer::infer_outputs(const BoundArguments& arguments) {
  std::vector<TensorSpec> outputs = LayerImpl::infer_outputs(arguments);
  forget_lengths(outputs);
  return outputs;
}

Tensor without_elements(const TensorSpec& spec) { return Tensor::traced(spec, nullptr, -1); }

HostResultsScope::HostResultsScope(const std::vector<Call>& calls) : previous_(current_scope()) {
  for (const Call& call : calls) results_[call.layer].of_calls.push_back(call.outputs);
  current_scope() = this;
}

HostResultsScope::~HostResultsScope() { current_scope() = previous_; }

std::optional<std::vector<Tensor>> HostResultsScope::next(const LayerImpl& layer) {
  if (current_scope() == nullptr) return std::nullopt;
  const auto found = current_scope()->results_.find(&layer);
  if (found == current_scope()->results_.end()) return std::nullopt;
  Results& results = found->second;
  return results.of_calls[results.next++ % results.of_calls.size()];
}

}  // namespace rhyton::layers
