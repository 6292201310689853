// Layer normalization and softmax over rows of 512, forward and backward. The argument is the number of threads;
// benchmarks/peers/elementwise_torch.py measures the same.

#include <benchmark/benchmark.h>

#include <vector>

#include <rhyton/benchmarks/traced_function.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/normalization.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/layers/normalization/layer_normalization.h>

namespace {

using namespace rhyton;
using rhyton::benchmarks::measure;
using rhyton::benchmarks::uniform;
using Tensors = std::vector<Tensor>;

const Shape shape{4096, 512};

int threads_of(const benchmark::State& state) { return static_cast<int>(state.range(0)); }

void layer_normalization(benchmark::State& state) {
  const layers::LayerNormalization layer;
  layer(Tensor::zeros({2, 512}));
  measure(state, threads_of(state), {uniform(shape)}, [&](const Tensors& x) { return Tensors{layer(x[0])}; });
}

void layer_normalization_with_gradients(benchmark::State& state) {
  const layers::LayerNormalization layer;
  layer(Tensor::zeros({2, 512}));
  measure(state, threads_of(state), {uniform(shape), uniform(shape)}, [&](const Tensors& x) {
    const Tensors sources{x[0], layer.trainable_weights()[0].value(), layer.trainable_weights()[1].value()};
    GradientTape tape;
    for (const Tensor& source : sources) tape.watch(source);
    const Tensor y = layer_normalization(sources[0], sources[1], sources[2], 1e-3);
    Tensors results = tape.gradient(y, sources, x[1]);
    results.push_back(y);
    return results;
  });
}

void softmax_of_rows(benchmark::State& state) {
  measure(state, threads_of(state), {uniform(shape)}, [](const Tensors& x) { return Tensors{softmax(x[0])}; });
}

void softmax_with_gradient(benchmark::State& state) {
  measure(state, threads_of(state), {uniform(shape), uniform(shape)}, [](const Tensors& x) {
    GradientTape tape;
    tape.watch(x[0]);
    const Tensor y = softmax(x[0]);
    return Tensors{y, tape.gradient(y, x[0], x[1])};
  });
}

void thread_counts(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(layer_normalization)->Apply(thread_counts);
BENCHMARK(layer_normalization_with_gradients)->Apply(thread_counts);
BENCHMARK(softmax_of_rows)->Apply(thread_counts);
BENCHMARK(softmax_with_gradient)->Apply(thread_counts);

}  // namespace
