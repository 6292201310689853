// A^N + B^N for two random matrices: each power on its own device, the sum on the CPU.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

struct Options {
  std::int64_t exponent = 10;
  std::int64_t size = 1000;
  std::vector<std::string> devices;
  bool squaring = false;
  std::uint64_t seed = 1;
  bool print = false;
};

// A matrix power and the number of multiplications that it took.
struct Power {
  Tensor value;
  std::int64_t multiplications = 0;
};

// M M M ... M, with one multiplication less than there are factors.
Power power_by_repeated_multiplication(const Tensor& matrix, std::int64_t exponent) {
  Power result{.value = matrix};
  for (; result.multiplications < exponent - 1; ++result.multiplications) result.value = matmul(matrix, result.value);
  return result;
}

// The product of those squares M, M^2, M^4, ... that the bits of the exponent select.
Power power_by_squaring(const Tensor& matrix, std::int64_t exponent) {
  Power result;
  Tensor square = matrix;
  for (std::int64_t rest = exponent;; rest /= 2) {
    if (rest % 2 == 1) {
      if (!result.value.is_empty()) ++result.multiplications;
      result.value = result.value.is_empty() ? square : matmul(square, result.value);
    }
    if (rest == 1) return result;
    square = matmul(square, square);
    ++result.multiplications;
  }
}

// Elements from 0 to 2 / size, so that each row of every power has a sum near 1 and nothing overflows.
Tensor random_matrix(std::int64_t size, std::uint64_t seed) {
  return random_uniform({size, size}, seed, /*counter=*/0, 0.0, 2.0 / static_cast<double>(size));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run(const Options& options) {
  std::vector<LogicalDevice*> devices;
  for (const std::string& name : options.devices) devices.push_back(&device(name).target());
  if (devices.empty()) devices = {&current_device()};

  const auto on_cpu = device("/CPU:0");
  const std::vector<Tensor> matrices = {random_matrix(options.size, options.seed),
                                        random_matrix(options.size, options.seed + 1)};

  const std::string n = std::to_string(options.exponent);
  const auto start = std::chrono::steady_clock::now();
  std::vector<Tensor> powers;
  std::int64_t multiplications = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    // A GPU executes its work asynchronously while work is submitted to the next one.
    const auto scope = device(*devices[i % devices.size()]);
    const Power power = options.squaring ? power_by_squaring(matrices[i], options.exponent)
                                         : power_by_repeated_multiplication(matrices[i], options.exponent);
    std::cout << (i == 0 ? "A^" : "B^") << n << " on " << current_device().name() << ": " << power.multiplications
              << " multiplications\n";
    powers.push_back(power.value);
    multiplications += power.multiplications;
  }
  const Tensor total = add_n(powers);  // waits for the devices
  const double seconds = seconds_since(start);

  const auto rows = static_cast<double>(options.size);
  const double gigaflop = static_cast<double>(multiplications) * 2 * rows * rows * rows / 1e9;
  std::cout << "A^" << n << " + B^" << n << " on " << total.device().name() << "\n"
            << multiplications << " multiplications of matrices " << total.shape().to_string() << ", " << gigaflop
            << " GFLOP\n"
            << seconds << " s with all copies, " << gigaflop / seconds << " GFLOP/s\n"
            << "sum of all elements: " << sum(total).item() << "\n";
  if (options.print) {
    std::cout << "A = " << matrices[0].to_string() << "\nB = " << matrices[1].to_string() << "\nA^" << n << " + B^" << n
              << " = " << total.to_string() << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Computes A^N + B^N of two random matrices, the powers on the devices named, the sum on the CPU.");
  app.add_option("N", options.exponent, "The power")->capture_default_str()->check(CLI::Range(1, 1'000'000));
  app.add_option("--size", options.size, "Rows of the square matrices")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  app.add_option("--devices", options.devices,
                 "For A and B, as in /gpu:0,/gpu:1 (default: the first GPU, else the CPU)")
      ->delimiter(',')
      ->expected(1, 2);
  app.add_flag("--squaring", options.squaring, "Square repeatedly: far fewer multiplications");
  app.add_option("--seed", options.seed, "Of the random matrices")->capture_default_str();
  app.add_flag("--print", options.print, "Show the matrices");
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
  } catch (const std::exception& error) {
    std::cerr << "matpow: " << error.what() << "\n";
    return 1;
  }
}
