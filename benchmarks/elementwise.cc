// Elementwise functions: each alone over tensors of 2M elements, GELU with its gradient, and a chain over 8M elements
// with and without fusion, with and without a batch. The argument is the number of threads;
// benchmarks/peers/elementwise_torch.py measures the same.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/benchmarks/traced_function.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>

namespace {

using namespace rhyton;
using rhyton::benchmarks::measure;
using rhyton::benchmarks::uniform;
using Tensors = std::vector<Tensor>;

int threads_of(const benchmark::State& state) { return static_cast<int>(state.range(0)); }

void unary(benchmark::State& state, Tensor (*function)(const Tensor&), float lowest) {
  measure(state, threads_of(state), {uniform({1024, 2048}, lowest, 3.0F)},
          [function](const Tensors& x) { return Tensors{function(x[0])}; });
}

void to_dtype(benchmark::State& state, DType from, DType to) {
  measure(state, threads_of(state), {cast(uniform({1024, 2048}), from)},
          [to](const Tensors& x) { return Tensors{cast(x[0], to)}; });
}

void power_of_tensors(benchmark::State& state) {
  measure(state, threads_of(state), {uniform({1024, 2048}, 0.1F, 3.0F), uniform({1024, 2048})},
          [](const Tensors& x) { return Tensors{power(x[0], x[1])}; });
}

/// The function's value, and its gradient for a given gradient of the value.
void with_gradient(benchmark::State& state, Tensor (*function)(const Tensor&)) {
  const Shape shape{4096, 2048};
  measure(state, threads_of(state), {uniform(shape), uniform(shape)}, [function](const Tensors& x) {
    GradientTape tape;
    tape.watch(x[0]);
    const Tensor y = function(x[0]);
    return Tensors{y, tape.gradient(y, x[0], x[1])};
  });
}

Tensor exact_gelu(const Tensor& x) { return gelu(x, false); }
Tensor approximate_gelu(const Tensor& x) { return gelu(x, true); }

void chain(benchmark::State& state, bool fuse, int batch_axis) {
  measure(
      state, threads_of(state), {uniform({8 << 20})},
      [](const Tensors& x) { return Tensors{abs(sqrt(x[0] * x[0] + 1.0) * 0.5 - x[0]) * x[0] + 2.0}; },
      {.passes = fuse ? graph::PassOptions() : graph::PassOptions::without({"fuse_elementwise"})}, batch_axis);
}

void thread_counts(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK_CAPTURE(unary, exp, &ops::exp, -2.0F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, log, &ops::log, 0.1F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, log1p, &ops::log1p, 0.1F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, expm1, &ops::expm1, -2.0F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, sin, &ops::sin, -2.0F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, cos, &ops::cos, -2.0F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, tanh, &ops::tanh, -2.0F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, sigmoid, &ops::sigmoid, -2.0F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, erf, &ops::erf, -2.0F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, silu, &ops::silu, -2.0F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, softplus, &ops::softplus, -2.0F)->Apply(thread_counts);
BENCHMARK_CAPTURE(unary, rsqrt, &ops::rsqrt, 0.1F)->Apply(thread_counts);
BENCHMARK(power_of_tensors)->Apply(thread_counts);
BENCHMARK_CAPTURE(to_dtype, float16, float32, float16)->Apply(thread_counts);
BENCHMARK_CAPTURE(to_dtype, bfloat16, float32, bfloat16)->Apply(thread_counts);
BENCHMARK_CAPTURE(to_dtype, from_float16, float16, float32)->Apply(thread_counts);
BENCHMARK_CAPTURE(to_dtype, from_bfloat16, bfloat16, float32)->Apply(thread_counts);
BENCHMARK_CAPTURE(with_gradient, gelu, &exact_gelu)->Apply(thread_counts);
BENCHMARK_CAPTURE(with_gradient, gelu_approximate, &approximate_gelu)->Apply(thread_counts);
BENCHMARK_CAPTURE(with_gradient, silu, &ops::silu)->Apply(thread_counts);
BENCHMARK_CAPTURE(chain, fused, true, 0)->Apply(thread_counts);
BENCHMARK_CAPTURE(chain, unfused, false, 0)->Apply(thread_counts);
BENCHMARK_CAPTURE(chain, fused_without_batch, true, -1)->Apply(thread_counts);
BENCHMARK_CAPTURE(chain, unfused_without_batch, false, -1)->Apply(thread_counts);

}  // namespace
