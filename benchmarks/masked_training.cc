// A training step that tags each of 32 words of 64 sentences, of which a quarter are padding, with a mask of the
// padding and without one. The argument is the number of threads. `--benchmark_enable_random_interleaving=true` pairs
// them.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>

#include <rhyton/rhyton.h>

namespace {

using namespace rhyton;

constexpr std::int64_t sentences = 64;
constexpr std::int64_t length = 32;
constexpr std::int32_t words = 2000;
constexpr std::int32_t tags = 16;

Tensor random_integers(std::int32_t limit, double zeros) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<std::int32_t> integer(0, limit - 1);
  std::bernoulli_distribution is_zero(zeros);
  Tensor result = Tensor::zeros({sentences, length}, int32);
  for (std::int64_t i = 0; i < result.size(); ++i) {
    result.mutable_data<std::int32_t>()[i] = is_zero(generator) ? 0 : integer(generator);
  }
  return result;
}

void train(benchmark::State& state, bool is_masked) {
  config::set_num_threads(static_cast<int>(state.range(0)));
  models::Sequential model({
      layers::Input({.shape = {length}, .dtype = "int32"}),
      layers::Embedding(words, 64, {.mask_zero = is_masked}),
      layers::Dense(256, {.activation = "relu"}),
      layers::Dense(128, {.activation = "relu"}),
      layers::Dense(tags),
  });
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  const Tensor x = random_integers(words, 0.25);
  const Tensor y = random_integers(tags, 0.0);
  model.train_on_batch(x, y);
  for (auto _ : state) benchmark::DoNotOptimize(model.train_on_batch(x, y));
  config::set_num_threads(0);
}

void masked(benchmark::State& state) { train(state, true); }
void unmasked(benchmark::State& state) { train(state, false); }

void thread_counts(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK(masked)->Apply(thread_counts);
BENCHMARK(unmasked)->Apply(thread_counts);

}  // namespace
