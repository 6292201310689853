// Predictions of batches of many sizes by one model: the memory of tensors on the host after them, and the time of a
// prediction when two sizes alternate, as for a data set whose last batch is short, compared with that of each size by
// itself.
//   prediction_sizes [largest batch] [rounds] [predictions per round]

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/rhyton.h>

namespace {

using namespace rhyton;

std::size_t bytes_in_use() { return config::get_memory_info("CPU:0").current; }

Tensor ones(std::int64_t batch, const Shape& sample) { return Tensor::full(sample.with(0, batch), 1.0); }

/// `sample`: the shape of a batch of any size.
void measure(const char* name, const models::Model& model, const Shape& sample, std::int64_t largest, int rounds,
             int predictions) {
  const std::size_t before = bytes_in_use();
  model.predict_on_batch(ones(largest, sample));
  const std::size_t of_largest = bytes_in_use() - before;
  for (std::int64_t batch = 1; batch <= largest; ++batch) model.predict_on_batch(ones(batch, sample));
  const std::size_t of_all = bytes_in_use() - before;

  const std::vector<Tensor> sizes = {ones(32, sample), ones(4, sample)};
  double separately = std::numeric_limits<double>::infinity();
  double alternating = separately;
  for (int round = 0; round < rounds; ++round) {
    measuring::Clock::time_point start = measuring::Clock::now();
    for (const Tensor& x : sizes) {
      for (int i = 0; i < predictions; ++i) static_cast<void>(model.predict_on_batch(x));
    }
    separately = std::min(separately, measuring::seconds_since(start) / predictions);
    start = measuring::Clock::now();
    for (int i = 0; i < predictions; ++i) {
      for (const Tensor& x : sizes) static_cast<void>(model.predict_on_batch(x));
    }
    alternating = std::min(alternating, measuring::seconds_since(start) / predictions);
  }
  std::printf(
      "%-22s %9zu bytes after batch %d, %9zu after batches 1 to %d; batches of 32 and 4: %8.2f us, %8.2f us "
      "alternating\n",
      name, of_largest, static_cast<int>(largest), of_all, static_cast<int>(largest), separately * 1e6,
      alternating * 1e6);
}

}  // namespace

int main(int count, char** arguments) {
  const measuring::Words words(arguments, static_cast<std::size_t>(count));
  const int largest = measuring::count_in(words, 1, 64);
  const int rounds = measuring::count_in(words, 2, 15);
  const int predictions = measuring::count_in(words, 3, 500);
  const models::Sequential dense({layers::Input({.shape = {784}}), layers::Dense(500, {.activation = "relu"}),
                                  layers::Dense(300, {.activation = "relu"}),
                                  layers::Dense(10, {.activation = "softmax"})});
  measure("three dense layers", dense, {1, 784}, largest, rounds, predictions);
  const models::Sequential convolutional(
      {layers::Input({.shape = {28, 28, 1}}), layers::Conv2D(16, {3, 3}, {.activation = "relu"}),
       layers::MaxPooling2D({.pool_size = {2, 2}}), layers::Conv2D(32, {3, 3}, {.activation = "relu"}),
       layers::MaxPooling2D({.pool_size = {2, 2}}), layers::Flatten(), layers::Dense(10, {.activation = "softmax"})});
  measure("two convolutions", convolutional, {1, 28, 28, 1}, largest, rounds, predictions);
  return 0;
}
