// What the planner decides: predictions of one sample, a loss with a mask, and dense layers on rows that a reshape has
// joined with the batch. The argument is the number of threads.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include <rhyton/benchmarks/traced_function.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/framework/tensor/variable.h>

namespace {

using namespace rhyton;
using rhyton::benchmarks::measure;
using rhyton::benchmarks::uniform;
using Tensors = std::vector<Tensor>;

int threads_of(const benchmark::State& state) { return static_cast<int>(state.range(0)); }

Variable weights(const Shape& shape) { return Variable(uniform(shape, -0.1F, 0.1F), {.name = "weights"}); }

/// Three convolutions of 3x3 with max-pooling between them, on one image of 64x64.
void predict_one_image(benchmark::State& state) {
  const Variable first = weights({3, 3, 3, 32});
  const Variable second = weights({3, 3, 32, 64});
  const Variable third = weights({3, 3, 64, 64});
  const Pool2DAttributes halves = {.pool_size = {2, 2}, .strides = {2, 2}};
  measure(state, threads_of(state), {uniform({1, 64, 64, 3})}, [&](const Tensors& in) {
    const Tensor a = max_pool2d(relu(conv2d(in[0], first)), halves);
    const Tensor b = max_pool2d(relu(conv2d(a, second)), halves);
    return Tensors{relu(conv2d(b, third))};
  });
}

/// Dense layers of 784, 2048, 2048 and 10 units.
void predict_one_row(benchmark::State& state) {
  const Variable first = weights({784, 2048});
  const Variable second = weights({2048, 2048});
  const Variable third = weights({2048, 10});
  measure(state, threads_of(state), {uniform({1, 784})}, [&](const Tensors& in) {
    return Tensors{softmax(matmul(relu(matmul(relu(matmul(in[0], first)), second)), third))};
  });
}

/// The gradient of a loss that is divided by the number of positions that a mask selects.
void masked_loss(benchmark::State& state) {
  const Variable first = weights({128, 256});
  const Variable second = weights({256, 128});
  measure(state, threads_of(state), {uniform({64, 32, 128}), uniform({64, 32})}, [&](const Tensors& in) {
    GradientTape tape;
    const Tensor mask = cast(in[1] > 0.0, float32);
    const Tensor hidden = tanh(matmul(tanh(matmul(in[0], first)), second));
    const Tensor loss = sum(sum(square(hidden), {-1}) * mask) / sum(mask);
    return tape.gradient(loss, std::vector<Variable>{first, second});
  });
}

/// The same on rows, without a mask.
void rows_of_samples(benchmark::State& state) {
  const Variable first = weights({128, 256});
  const Variable second = weights({256, 128});
  measure(state, threads_of(state), {uniform({64, 32, 128})}, [&](const Tensors& in) {
    GradientTape tape;
    const Tensor rows = reshape(in[0], {-1, 128});
    const Tensor hidden = softmax(matmul(tanh(matmul(rows, first)), second));
    const Tensor loss = mean(square(reshape(hidden, {64, 32, 128})));
    return tape.gradient(loss, std::vector<Variable>{first, second});
  });
}

void thread_counts(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(predict_one_image)->Apply(thread_counts);
BENCHMARK(predict_one_row)->Apply(thread_counts);
BENCHMARK(masked_loss)->Apply(thread_counts);
BENCHMARK(rows_of_samples)->Apply(thread_counts);

}  // namespace
