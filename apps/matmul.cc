// Multiplies a random matrix by its transpose, sums the elements of the product, and times both on a device.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

struct Options {
  std::string device;
  std::vector<std::int64_t> sizes;
  std::uint64_t seed = 1;
  std::size_t repeats = 5;
  // 0: time the product and its sum, with and without copies.
  int products = 0;
  bool full_float32 = false;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The median time after one warm-up run, over at least `least_runs` runs and at least a tenth of a second.
double seconds_of(const std::function<void()>& work, std::size_t least_runs) {
  work();
  std::vector<double> seconds;
  const Clock::time_point begin = Clock::now();
  while (seconds.size() < least_runs || seconds_since(begin) < 0.1) {
    const Clock::time_point start = Clock::now();
    work();
    seconds.push_back(seconds_since(start));
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

Tensor random_matrix(std::int64_t size, std::uint64_t seed) {
  const auto scope = device("/CPU:0");
  return random_uniform({size, size}, seed, /*counter=*/0);
}

std::string shape_text(std::int64_t size) { return "(" + std::to_string(size) + ", " + std::to_string(size) + ")"; }

double gflops(std::int64_t size, double seconds) {
  const auto n = static_cast<double>(size);
  return 2 * n * n * n / seconds / 1e9;
}

void measure_with_sum(LogicalDevice& target, std::int64_t size, const Options& options) {
  const Tensor on_host = random_matrix(size, options.seed);
  const auto scope = device(target);
  const Tensor on_device = on_host.to(target);
  double total = 0;
  // Reading the value of the sum waits for the device and copies four bytes to the host.
  const auto multiply_and_sum = [&](const Tensor& x) { total = sum(matmul(x, x, false, true)).item(); };
  const double with_copies = seconds_of([&] { multiply_and_sum(on_host.to(target)); }, options.repeats);
  const double without = seconds_of([&] { multiply_and_sum(on_device); }, options.repeats);

  std::printf("%-16s %-16s %15.4f %16.4f %11.1f %14.7g\n", shape_text(size).c_str(), target.name().c_str(),
              1e3 * with_copies, 1e3 * without, gflops(size, without), total);
  std::fflush(stdout);
}

// Times products alone, back to back, with one synchronization after the last.
void measure_products(LogicalDevice& target, std::int64_t size, const Options& options) {
  // The time that a GPU takes to raise its clock frequency.
  constexpr double warm_up_seconds = 0.5;
  const Tensor on_host = random_matrix(size, options.seed);
  const auto scope = device(target);
  const Tensor x = on_host.to(target);
  Tensor product;
  const auto multiply = [&](int times) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < times; ++i) product = matmul(x, x, false, true);
    target.stream().synchronize();
    return seconds_since(start);
  };
  const Clock::time_point begin = Clock::now();
  do {
    multiply(1);
  } while (seconds_since(begin) < warm_up_seconds);
  const double seconds = multiply(options.products) / options.products;
  std::printf("%-16s %-16s %9d %16.4f %11.1f\n", shape_text(size).c_str(), target.name().c_str(), options.products,
              1e3 * seconds, gflops(size, seconds));
  std::fflush(stdout);
}

void run(Options options) {
  config::enable_tensor_float_32_execution(!options.full_float32);
  std::vector<LogicalDevice*> devices = config::list_logical_devices();
  if (!options.device.empty()) devices = {&device(options.device).target()};
  if (options.sizes.empty()) options.sizes = {64, 128, 256, 512, 1024, 2048, 4096};

  if (options.products > 0) {
    std::printf("%-16s %-16s %9s %16s %11s\n", "shape", "device", "products", "ms per product", "GFLOP/s");
  } else {
    std::printf("%-16s %-16s %15s %16s %11s %14s\n", "shape", "device", "with copies, ms", "without them, ms",
                "GFLOP/s", "sum");
  }
  for (const std::int64_t size : options.sizes) {
    for (LogicalDevice* const target : devices) {
      options.products > 0 ? measure_products(*target, size, options) : measure_with_sum(*target, size, options);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Multiplies a random matrix by its transpose and sums the product's elements. Without arguments: matrices of "
      "growing sizes on every device.");
  app.add_option("DEVICE", options.device, "Where to compute: /CPU:0, /GPU:0, gpu, ...");
  app.add_option("SIZE", options.sizes, "Rows of the square matrix")->check(CLI::Range(1, 100'000));
  CLI::Option* const repeats = app.add_option("--repeats", options.repeats, "Runs at least, whose median is shown")
                                   ->capture_default_str()
                                   ->check(CLI::Range(1, 1'000'000));
  app.add_option(
         "--products", options.products,
         "Instead, time this many products in succession, without copies and sums, after half a second of warm-up")
      ->check(CLI::Range(1, 1'000'000))
      ->excludes(repeats);
  app.add_option("--seed", options.seed, "Of the random matrix")->capture_default_str();
  app.add_flag("--full-float32", options.full_float32, "Let no GPU round the factors to TensorFloat-32");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception& error) {
    std::cerr << "matmul: " << error.what() << "\n";
    return 1;
  }
}
