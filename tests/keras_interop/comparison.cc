#include <rhyton/tests/keras_interop/comparison.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <rhyton/framework/error.h>

namespace rhyton::interop {
namespace {

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - moments.mean) * (value - moments.mean);
  moments.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return moments;
}

/// How many of the values are not the most frequent one.
std::size_t count_of_rare(std::vector<double> values, double rounding) {
  std::ranges::sort(values);
  std::size_t most_frequent = 0;
  for (auto first = values.begin(); first != values.end();) {
    const auto last = std::upper_bound(first, values.end(), *first + rounding);
    most_frequent = std::max(most_frequent, static_cast<std::size_t>(last - first));
    first = last;
  }
  return values.size() - most_frequent;
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

double Deviation::ratio() const {
  if (difference == 0) return 0;
  return size == 0 ? std::numeric_limits<double>::infinity() : difference / size;
}

Deviation output_error(const Tensor& actual, const Tensor& expected) {
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> b = expected.to_vector();
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (std::isnan(a[i])) return {.difference = a[i], .size = size};
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return {.difference = difference, .size = size};
}

Deviation variable_error(const Tensor& actual, const Tensor& expected) {
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> b = expected.to_vector();
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return {.difference = std::sqrt(difference), .size = std::sqrt(size)};
}

Deviation number_error(double actual, double expected) {
  return {.difference = std::abs(actual - expected), .size = std::abs(expected)};
}

double require_near(const std::string& what, const Deviation& error, const Tolerance& tolerance) {
  const double allowed = std::max(tolerance.relative * error.size, tolerance.absolute);
  if (error.difference <= allowed) return error.ratio();  // false for NaN
  std::ostringstream message;
  message << what << ", of size " << error.size << ", differs by " << error.difference << "; allowed is " << allowed;
  throw Error(message.str());
}

void require_same_form(const std::string& what, const Tensor& actual, const Tensor& expected) {
  if (actual.shape() != expected.shape()) {
    throw Error(what + " has shape " + actual.shape().to_string() + " where Keras's has " +
                expected.shape().to_string());
  }
  if (actual.dtype() != expected.dtype() && actual.dtype() != DType::bfloat16) {
    throw Error(what + " has dtype " + std::string(name_of(actual.dtype())) + " where Keras's has " +
                std::string(name_of(expected.dtype())));
  }
}

void require_same_distribution(const std::string& what, const std::vector<double>& actual,
                               const std::vector<double>& expected) {
  const Moments a = moments_of(actual);
  const Moments b = moments_of(expected);
  const double rounding = output_tolerance * std::abs(b.mean);
  const double standard_error = std::hypot(a.deviation, b.deviation) / std::sqrt(static_cast<double>(expected.size()));
  const bool has_mean = std::abs(a.mean - b.mean) <= 6 * standard_error + rounding;
  // An accuracy that a draw changes only now and then: k such draws are all on one side with probability 2^(1-k), and
  // the deviation of the other side is then 0.
  constexpr std::size_t least_count_for_deviations = 20;
  const bool is_nearly_constant = count_of_rare(joined(actual, expected), rounding) < least_count_for_deviations;
  const bool has_deviation = is_nearly_constant || (a.deviation <= 2.5 * b.deviation + rounding &&
                                                    b.deviation <= 2.5 * a.deviation + rounding);
  if (has_mean && has_deviation) return;
  std::ostringstream message;
  message << what << " has mean " << a.mean << " and deviation " << a.deviation << " while training; Keras's has "
          << b.mean << " and " << b.deviation;
  throw Error(message.str());
}

}  // namespace rhyton::interop
