#include <rhyton/framework/ops/random_variates.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/random/philox.h>

namespace rhyton::cpu {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// As many random numbers as an element needs, in blocks of its own.
class ElementNumbers {
 public:
  ElementNumbers(std::uint64_t key, std::uint64_t stream, std::uint64_t element)
      : key_(key), stream_(stream), element_(element) {}

  /// In (0, 1).
  double uniform() {
    const auto words = next_block();
    return random::uniform_double(words[0], words[1]) + 0x1p-54;
  }
  double normal() { return random::normal_doubles(next_block()).first; }

 private:
  std::array<std::uint32_t, 4> next_block() {
    // 2^40 elements with 2^24 blocks each.
    return random::philox4x32(key_, random::philox_counter(element_ | block_++ << 40, stream_));
  }

  std::uint64_t key_;
  std::uint64_t stream_;
  std::uint64_t element_;
  std::uint64_t block_ = 0;
};

double gamma_variate(double alpha, ElementNumbers& numbers) {
  if (!(alpha > 0.0)) return no_number;
  if (std::isinf(alpha)) return alpha;
  const double d = (alpha < 1.0 ? alpha + 1.0 : alpha) - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = numbers.normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log(numbers.uniform()) >= 0.5 * x * x + d - d * v + d * std::log(v)) continue;
    return alpha < 1.0 ? d * v * std::pow(numbers.uniform(), 1.0 / alpha) : d * v;
  }
}

/// log k!, by Stirling's series where that is exact.
double log_factorial(double k) {
  double product = 1.0;
  for (; k < 16.0; k += 1.0) product *= k + 1.0;
  const double inverse = 1.0 / (k * k);
  const double rest = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))) / k;
  return k * std::log(k) - k + 0.5 * std::log(2.0 * std::numbers::pi * k) + rest - std::log(product);
}

/// The number of successes before the waiting times for them add up to more than the trials.
double successes_by_waiting(double count, double probability, ElementNumbers& numbers) {
  const double log_failure = std::log1p(-probability);
  double trials = 0.0;
  for (double successes = 0.0;; successes += 1.0) {
    trials += std::ceil(std::log(numbers.uniform()) / log_failure);
    if (trials > count) return successes;
  }
}

/// Hörmann's BTRS, by rejection from a transformed table mountain: for a mean of 10 or more.
double successes_by_rejection(double count, double probability, ElementNumbers& numbers) {
  const double spread = std::sqrt(count * probability * (1.0 - probability));
  const double b = 1.15 + 2.53 * spread;
  const double a = -0.0873 + 0.0248 * b + 0.01 * probability;
  const double center = count * probability + 0.5;
  const double certain = 0.92 - 4.2 / b;
  const double scale = (2.83 + 5.1 / b) * spread;
  const double log_odds = std::log(probability / (1.0 - probability));
  const double mode = std::floor((count + 1.0) * probability);
  const double at_mode = log_factorial(mode) + log_factorial(count - mode);
  for (;;) {
    const double v = numbers.uniform();
    const double u = numbers.uniform() - 0.5;
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2.0 * a / us + b) * u + center);
    if (us >= 0.07 && v <= certain) return k;
    if (k < 0.0 || k > count) continue;
    const double bound = at_mode - log_factorial(k) - log_factorial(count - k) + (k - mode) * log_odds;
    if (std::log(v * scale / (a / (us * us) + b)) <= bound) return k;
  }
}

double binomial_variate(double given_count, double probability, ElementNumbers& numbers) {
  const double count = std::floor(given_count);
  if (!(count >= 0.0) || !(probability >= 0.0 && probability <= 1.0) || std::isinf(count)) return no_number;
  if (probability > 0.5) return count - binomial_variate(count, 1.0 - probability, numbers);
  if (count == 0.0 || probability == 0.0) return 0.0;
  return count * probability < 10.0 ? successes_by_waiting(count, probability, numbers)
                                    : successes_by_rejection(count, probability, numbers);
}

void run_gamma(const KernelArguments& arguments) {
  const std::uint64_t key = arguments.attributes<RandomVariateOp>().key;
  const auto stream = static_cast<std::uint64_t>(*arguments.inputs[1].as<const std::int64_t>());
  const double* alpha = arguments.inputs[0].as<const double>();
  double* y = arguments.outputs[0].as<double>();
  for (std::int64_t i = 0; i < arguments.outputs[0].size(); ++i) {
    ElementNumbers numbers(key, stream, static_cast<std::uint64_t>(i));
    y[i] = gamma_variate(alpha[i], numbers);
  }
}

void run_binomial(const KernelArguments& arguments) {
  const std::uint64_t key = arguments.attributes<RandomVariateOp>().key;
  const auto stream = static_cast<std::uint64_t>(*arguments.inputs[2].as<const std::int64_t>());
  const double* counts = arguments.inputs[0].as<const double>();
  const double* probabilities = arguments.inputs[1].as<const double>();
  double* y = arguments.outputs[0].as<double>();
  for (std::int64_t i = 0; i < arguments.outputs[0].size(); ++i) {
    ElementNumbers numbers(key, stream, static_cast<std::uint64_t>(i));
    y[i] = binomial_variate(counts[i], probabilities[i], numbers);
  }
}

}  // namespace

void register_random_variate_kernels(KernelTable& table) {
  table.add("RandomGamma", DType::float64, {.run = &run_gamma});
  table.add("RandomBinomial", DType::float64, {.run = &run_binomial});
}

}  // namespace rhyton::cpu
