// Forecasts the next day of a time series with a GRU: the hourly load of a power grid, a sum of seasons and noise.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numbers>
#include <random>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

constexpr std::int64_t past = 48;    // hours that the model sees
constexpr std::int64_t future = 24;  // hours that it forecasts
constexpr std::int64_t training_hours = 24 * 7 * 16;
constexpr std::int64_t test_hours = 24 * 7 * 4;
constexpr double noise = 3.0;

// Gigawatts, hour by hour: seasons of a day, half a day and a week, and normally distributed noise.
std::vector<double> make_series(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.0, noise);
  const auto season = [](std::int64_t hour, double period, double phase) {
    return std::sin(2 * std::numbers::pi * (static_cast<double>(hour) / period + phase));
  };
  std::vector<double> series;
  for (std::int64_t hour = 0; hour < training_hours + test_hours; ++hour) {
    series.push_back(60 + 10 * season(hour, 24, 0.7) + 4 * season(hour, 12, 0.1) + 8 * season(hour, 168, 0.2) +
                     normal(random));
  }
  return series;
}

struct Windows {
  Tensor x;  // [windows, past, 1]
  Tensor y;  // [windows, future]
};

// All windows of the series from `first` to `last`.
Windows make_windows(const std::vector<double>& series, std::int64_t first, std::int64_t last) {
  const std::int64_t count = last - first - past - future + 1;
  Windows windows = {.x = Tensor::zeros({count, past, 1}), .y = Tensor::zeros({count, future})};
  float* x = windows.x.mutable_data<float>();
  float* y = windows.y.mutable_data<float>();
  for (std::int64_t start = first; start < first + count; ++start) {
    for (std::int64_t i = 0; i < past; ++i) *x++ = static_cast<float>(series[static_cast<std::size_t>(start + i)]);
    for (std::int64_t i = past; i < past + future; ++i)
      *y++ = static_cast<float>(series[static_cast<std::size_t>(start + i)]);
  }
  return windows;
}

double mean_absolute_error(const Tensor& y, const Tensor& forecast) { return mean(abs(y - forecast)).item(); }

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t seed = 1;
  CLI::App app("Forecasts a day of a time series.");
  app.add_option("--seed", seed, "Of the noise and the initial weights")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  set_random_seed(seed);

  // The tests are the hours after those trained with.
  const std::vector<double> series = make_series(seed);
  const Windows training = make_windows(series, 0, training_hours);
  const Windows test = make_windows(series, training_hours, training_hours + test_hours);

  // The network computes with numbers of mean 0 and standard deviation 1, the model with gigawatts.
  const double offset = mean(training.x).item();
  const double scale = std::sqrt(mean(square(training.x - offset)).item());
  const models::Sequential model({
      layers::Input({.shape = {past, 1}}),
      layers::Rescaling(1 / scale, {.offset = -offset / scale}),
      layers::GRU(32),
      layers::Dense(future),
      layers::Rescaling(scale, {.offset = offset}),
  });
  model.summary();
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.005}), .loss = "mse", .metrics = {"mae"}});
  model.fit(training.x, training.y, {.batch_size = 32, .epochs = 10, .verbose = 2});

  const Tensor last_value = test.x[{Slice(), -1}];                       // x[:, -1]: [windows, 1]
  const Tensor day_before = test.x[{Slice(), Slice(past - 24, {}), 0}];  // x[:, -24:, 0]: [windows, 24]
  const double forecast_error = mean_absolute_error(test.y, model.predict(test.x, {.verbose = 0}));
  std::cout << "mean absolute error on hours that it was not trained with, in GW\n"
            << "the last value:   " << mean_absolute_error(test.y, last_value) << "\n"
            << "the day before:   " << mean_absolute_error(test.y, day_before) << "\n"
            << "GRU:              " << forecast_error << "\n"
            << "the noise itself: " << noise * std::sqrt(2 / std::numbers::pi) << "\n";
}
