// The rate of predictions of small batches by one model with one thread calling it, and with several: their ratio, best
// of several alternating rounds, since other work on the machine slows single rounds down. If all of them are slowed
// down, the processor time per prediction gives the ratio for dedicated cores, except for time that threads spend
// sleeping while waiting for each other.
//   concurrent_predictions [threads] [rounds] [predictions per round and thread]

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/rhyton.h>

namespace {

using namespace rhyton;

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Tensor ramp(const Shape& shape) {
  Tensor tensor = Tensor::zeros(shape, float32);
  float* const data = tensor.mutable_data<float>();
  for (std::int64_t i = 0; i < tensor.size(); ++i) data[i] = static_cast<float>(i % 13) / 13.0f - 0.4f;
  return tensor;
}

/// The average wall clock and processor seconds of one prediction.
struct Cost {
  double clock = std::numeric_limits<double>::infinity();
  double processor = std::numeric_limits<double>::infinity();
};

Cost round_of(const models::Model& model, const Tensor& x, int threads, int predictions) {
  const measuring::Clock::time_point start = measuring::Clock::now();
  const double processor = processor_seconds();
  const auto work = [&] {
    for (int i = 0; i < predictions; ++i) static_cast<void>(model.predict_on_batch(x));
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  const double count = static_cast<double>(threads) * predictions;
  return {measuring::seconds_since(start) / count, (processor_seconds() - processor) / count};
}

void measure(const char* name, const models::Model& model, const Tensor& x, int threads, int rounds, int predictions) {
  round_of(model, x, threads, predictions / 10 + 1);
  Cost one;
  Cost several;
  for (int i = 0; i < rounds; ++i) {
    for (const int count : {1, threads}) {
      const Cost cost = round_of(model, x, count, predictions);
      Cost& best = count == 1 ? one : several;
      best.clock = std::min(best.clock, cost.clock);
      best.processor = std::min(best.processor, cost.processor);
    }
  }
  std::printf(
      "%-22s batch %2d: %8.2f us with 1 thread (%8.2f of processors), %8.2f with %d (%8.2f): %.2f times, %.2f by "
      "processor time\n",
      name, static_cast<int>(x.shape()[0]), one.clock * 1e6, one.processor * 1e6, several.clock * 1e6, threads,
      several.processor * 1e6, one.clock / several.clock, threads * one.processor / several.processor);
}

models::Model dense_model() {
  return models::Sequential({layers::Input({.shape = {64}}), layers::Dense(128, {.activation = "relu"}),
                             layers::Dense(128, {.activation = "relu"}), layers::Dense(10, {.activation = "softmax"})});
}

models::Model convolutional_model() {
  return models::Sequential(
      {layers::Input({.shape = {28, 28, 1}}), layers::Conv2D(16, {3, 3}, {.activation = "relu"}),
       layers::MaxPooling2D({.pool_size = {2, 2}}), layers::Conv2D(32, {3, 3}, {.activation = "relu"}),
       layers::MaxPooling2D({.pool_size = {2, 2}}), layers::Flatten(), layers::Dense(10, {.activation = "softmax"})});
}

}  // namespace

int main(int count, char** arguments) {
  const measuring::Words words(arguments, static_cast<std::size_t>(count));
  const int threads = measuring::count_in(words, 1, 2);
  const int rounds = measuring::count_in(words, 2, 15);
  const int predictions = measuring::count_in(words, 3, 1000);
  const models::Model dense = dense_model();
  const models::Model convolutional = convolutional_model();
  for (const std::int64_t batch : {1, 8, 32}) {
    measure("three dense layers", dense, ramp({batch, 64}), threads, rounds, predictions);
  }
  for (const std::int64_t batch : {1, 4}) {
    measure("two convolutions", convolutional, ramp({batch, 28, 28, 1}), threads, rounds, predictions);
  }
  return 0;
}
