#include <rhyton/benchmarks/workloads/compiled.h>

#include <utility>

#include <rhyton/benchmarks/measuring.h>

namespace workloads {

using namespace measuring;
using namespace rhyton;

namespace {

std::vector<graph::FunctionInput> specs(const Tensors& inputs, std::size_t batched) {
  std::vector<graph::FunctionInput> result;
  for (const Tensor& input : inputs) {
    result.push_back({.spec = {input.shape(), input.dtype()}, .batch_axis = result.size() < batched ? 0 : -1});
  }
  return result;
}

}  // namespace

Compiled::Compiled(const Tensors& inputs, std::size_t batched, const graph::Function& function)
    : inputs_(inputs), executable_(graph::trace(specs(inputs, batched), function)) {
  for (const Tensor& input : inputs_) addresses_.push_back(input.raw_data());
}

double Compiled::seconds() {
  return seconds_per_call([this] { run(); });
}

double Compiled::operations() const {
  const graph::Graph& graph = executable_.graph();
  double sum = 0;
  for (const graph::Node& node : graph.nodes()) {
    sum += node.op->flops(graph.specs_of(node.inputs), graph.specs_of(node.outputs));
  }
  return sum;
}

double Compiled::bytes() const {
  const graph::Graph& graph = executable_.graph();
  std::size_t sum = 0;
  for (const graph::Value& value : graph.values()) {
    if (value.kind == graph::Value::Kind::input || value.kind == graph::Value::Kind::variable) {
      sum += value.spec.bytes();
    }
  }
  for (const graph::ValueId output : graph.outputs) sum += graph.value(output).spec.bytes();
  return static_cast<double>(sum);
}

graph::Function with_gradients(std::function<Tensor(const Tensors&)> function, const std::vector<Variable>& weights) {
  return [function = std::move(function), weights](const Tensors& inputs) {
    // The last input is the gradient of the result.
    Tensors sources(inputs.begin(), inputs.end() - 1);
    GradientTape tape;
    for (const Tensor& source : sources) tape.watch(source);
    Tensors results = {function(sources)};
    tape.stop_recording();
    for (const Variable& weight : weights) sources.push_back(weight.value());
    for (const Tensor& gradient : tape.gradient(results[0], sources, inputs.back())) results.push_back(gradient);
    return results;
  };
}

}  // namespace workloads
