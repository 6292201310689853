// The overhead of running a compiled graph of many small ops: the engine itself, with next to no arithmetic, on one
// thread.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/framework/tensor/variable.h>

namespace {

using namespace rhyton;

Tensor ramp(const Shape& shape) {
  Tensor tensor = Tensor::zeros(shape, float32);
  float* const data = tensor.mutable_data<float>();
  for (std::int64_t i = 0; i < tensor.size(); ++i) data[i] = static_cast<float>(i % 13) / 13.0f - 0.4f;
  return tensor;
}

/// Runs the trace of `function` on one input of 8x8, one batch of 8 rows; the counters give the number of nodes that
/// remain after the passes.
void measure(benchmark::State& state, const graph::Function& function) {
  config::set_num_threads(1);
  graph::Executable executable(graph::trace({{.spec = {{8, 8}, float32}, .batch_axis = 0}}, function));
  const Tensor x = ramp({8, 8});
  const void* const inputs[] = {x.raw_data()};
  for (auto _ : state) {
    executable.run(inputs);
    benchmark::ClobberMemory();
  }
  state.counters["nodes"] = static_cast<double>(executable.graph().nodes().size());
  config::set_num_threads(0);
}

/// Twenty cheap ops in sequence.
void twenty_in_a_row(benchmark::State& state) {
  measure(state, [](const std::vector<Tensor>& inputs) {
    Tensor x = inputs[0];
    for (int i = 0; i < 10; ++i) x = sqrt(square(x));
    return std::vector<Tensor>{x};
  });
}

/// Twenty ops of several families: two small layers forward, softmax, a loss, and statistics.
void twenty_mixed(benchmark::State& state) {
  const Variable first(ramp({8, 8}), {.name = "first"});
  const Variable second(ramp({8, 4}), {.name = "second"});
  measure(state, [&](const std::vector<Tensor>& inputs) {
    const Tensor& x = inputs[0];
    const Tensor hidden = tanh(matmul(x, first) * 0.5);                    // 3
    const Tensor logits = matmul(exp(hidden) - hidden, second);            // 6
    const Tensor probabilities = softmax(logits);                          // 7
    const Tensor entropy = sum(probabilities * log(probabilities), {-1});  // 10
    const Tensor centered = logits - mean(logits, {-1}, true);             // 13, a mean is two
    const Tensor spread = sqrt(mean(square(centered), {-1}));              // 17
    return std::vector<Tensor>{mean(entropy + spread)};                    // 20
  });
}

BENCHMARK(twenty_in_a_row);
BENCHMARK(twenty_mixed);

}  // namespace
