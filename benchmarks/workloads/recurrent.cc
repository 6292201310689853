// Workloads with recurrent layers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/benchmarks/workloads/epoch_times.h>
#include <rhyton/benchmarks/workloads/models.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace measuring;
using namespace rhyton;

namespace {

constexpr std::int64_t steps = 64;
constexpr std::int64_t features = 128;
// Steps of training in an epoch.
constexpr std::int64_t batches = 6;

/// Random sequences; with `is_padded` the later half of the steps of every second sample is zeros.
Tensor random_sequences(std::int64_t samples, bool is_padded) {
  Tensor x = random_normal({samples, steps, features}, /*key=*/1, /*counter=*/0);
  if (is_padded) {
    for (std::int64_t sample = 0; sample < samples; sample += 2) {
      float* const end = x.mutable_data<float>() + (sample + 1) * steps * features;
      std::fill(end - steps * features / 2, end, 0.0F);
    }
  }
  return x;
}

/// Seconds per step of `fit`: the median over several epochs.
double seconds_per_step(const models::Model& model, const Tensor& x, std::int64_t batch_size) {
  const Tensor y = random_normal({x.shape()[0], 1}, /*key=*/2, /*counter=*/0);
  model.fit(x.slice(0, batch_size), y.slice(0, batch_size), {.batch_size = batch_size, .verbose = 0});
  std::vector<double> seconds;
  model.fit(x, y,
            {.batch_size = batch_size,
             .epochs = 5,
             .verbose = 0,
             .callbacks = {callbacks::make_callback<EpochTimes>(seconds)}});
  const std::int64_t steps = x.shape()[0] / batch_size;
  return median(seconds) / static_cast<double>(steps);
}

}  // namespace

io::Json recurrent_training(const Options& options) {
  io::Json cases = io::Json::object();
  for (const std::string& kind : recurrent_kinds) {
    for (const bool is_masked : {false, true}) {
      const Tensor x = random_sequences(batches * options.batch_size, is_masked);
      cases[kind + (is_masked ? ", masked" : "")] =
          seconds_per_step(recurrent_model(kind, is_masked), x, options.batch_size);
    }
  }
  const Tensor x = random_sequences(batches * options.batch_size, false);
  cases["custom cell"] = seconds_per_step(custom_cell_model(), x, options.batch_size);
  return io::Json::object({{"cases", cases}});
}

io::Json recurrent_prediction(const Options&) {
  io::Json cases = io::Json::object();
  for (const std::string& kind : recurrent_kinds) {
    for (const bool is_masked : {false, true}) {
      const Tensor x = random_sequences(1, is_masked);
      const models::Sequential model = recurrent_model(kind, is_masked);
      cases[kind + (is_masked ? ", masked" : "")] = seconds_per_call([&] { model.predict_on_batch(x); });
    }
  }
  return io::Json::object({{"cases", cases}});
}

io::Json conv_lstm(const Options&) {
  constexpr std::int64_t batch_size = 8;
  const Tensor x = random_normal({batches * batch_size, 10, 32, 32, 8}, /*key=*/1, /*counter=*/0);
  return io::Json::object(
      {{"cases", io::Json::object({{"step", seconds_per_step(conv_lstm_model(), x, batch_size)}})}});
}

}  // namespace workloads
