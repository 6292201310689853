// A training step of a text classifier: 128 texts of 200 words, Embedding(20000, 64), GlobalAveragePooling1D, Dense,
// Adam. The argument is the number of threads; benchmarks/peers/elementwise_torch.py measures the same.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include <rhyton/rhyton.h>

namespace {

using namespace rhyton;

constexpr std::int64_t words = 20000;

void training_step(benchmark::State& state) {
  config::set_num_threads(static_cast<int>(state.range(0)));
  models::Sequential model({
      layers::Input({.shape = {200}, .dtype = "int32"}),
      layers::Embedding(words, 64),
      layers::GlobalAveragePooling1D(),
      layers::Dense(2),
  });
  model.compile(
      {.optimizer = optimizers::Adam(), .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  std::mt19937 generator(1);
  std::uniform_int_distribution<std::int32_t> distribution(0, words - 1);
  Tensor x = Tensor::zeros({128, 200}, int32);
  for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data<std::int32_t>()[i] = distribution(generator);
  Tensor y = Tensor::zeros({128}, int32);
  for (std::int64_t i = 0; i < y.size(); ++i) y.mutable_data<std::int32_t>()[i] = distribution(generator) % 2;
  model.train_on_batch(x, y);
  for (auto _ : state) benchmark::DoNotOptimize(model.train_on_batch(x, y));
  config::set_num_threads(0);
}

BENCHMARK(training_step)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->UseRealTime();

}  // namespace
