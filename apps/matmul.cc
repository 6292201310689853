// A random matrix times its transpose, and the sum of the product's elements: how long it takes on which device.

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
  bool full_float32 = false;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The median of some runs, after one that makes everything ready; of as many as a tenth of a second holds, if that is
// more.
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

void measure(LogicalDevice& target, std::int64_t size, const Options& options) {
  const Tensor on_host = random_matrix(size, options.seed);
  const auto scope = device(target);
  const Tensor on_device = on_host.to(target);
  double total = 0;
  // Asking for the sum's value waits for the device, and brings four bytes back.
  const auto multiply_and_sum = [&](const Tensor& x) { total = sum(matmul(x, x, false, true)).item(); };
  const double with_copies = seconds_of([&] { multiply_and_sum(on_host.to(target)); }, options.repeats);
  const double without = seconds_of([&] { multiply_and_sum(on_device); }, options.repeats);

  const auto n = static_cast<double>(size);
  const std::string shape = "(" + std::to_string(size) + ", " + std::to_string(size) + ")";
  std::printf("%-16s %-16s %15.4f %16.4f %11.1f %14.7g\n", shape.c_str(), target.name().c_str(), 1e3 * with_copies,
              1e3 * without, 2 * n * n * n / without / 1e9, total);
  std::fflush(stdout);
}

void run(Options options) {
  config::enable_tensor_float_32_execution(!options.full_float32);
  std::vector<LogicalDevice*> devices = config::list_logical_devices();
  if (!options.device.empty()) devices = {&device(options.device).target()};
  if (options.sizes.empty()) options.sizes = {64, 128, 256, 512, 1024, 2048, 4096};

  std::printf("%-16s %-16s %15s %16s %11s %14s\n", "shape", "device", "with copies, ms", "without them, ms", "GFLOP/s",
              "sum");
  for (const std::int64_t size : options.sizes) {
    for (LogicalDevice* const target : devices) measure(*target, size, options);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Multiplies a random matrix by its transpose and sums the product's elements up. Without arguments: matrices of "
      "growing sizes on every device.");
  app.add_option("DEVICE", options.device, "Where to compute: /CPU:0, /GPU:0, gpu, ...");
  app.add_option("SIZE", options.sizes, "Rows of the square matrix")->check(CLI::Range(1, 100'000));
  app.add_option("--repeats", options.repeats, "Runs at least, whose median is shown")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
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
