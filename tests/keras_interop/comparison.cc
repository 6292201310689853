#include <rhyton/tests/keras_interop/comparison.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <rhyton/framework/error.h>

namespace rhyton::interop {
namespace {

/// 0 / 0 is no error.
double ratio(double difference, double size) {
  if (difference == 0) return 0;
  return size == 0 ? std::numeric_limits<double>::infinity() : difference / size;
}

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

}  // namespace

double output_error(const Tensor& actual, const Tensor& expected) {
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> b = expected.to_vector();
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (std::isnan(a[i])) return a[i];
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return ratio(difference, size);
}

double variable_error(const Tensor& actual, const Tensor& expected) {
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> b = expected.to_vector();
  double difference = 0;
  double size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return ratio(std::sqrt(difference), std::sqrt(size));
}

double number_error(double actual, double expected) { return ratio(std::abs(actual - expected), std::abs(expected)); }

void require_near(const std::string& what, double error, double tolerance) {
  if (error <= tolerance) return;  // false for NaN
  std::ostringstream message;
  message << what << " differs by " << error << ", allowed is " << tolerance;
  throw Error(message.str());
}

void require_same_form(const std::string& what, const Tensor& actual, const Tensor& expected) {
  if (actual.shape() == expected.shape()) return;
  throw Error(what + " has shape " + actual.shape().to_string() + " where Keras's has " + expected.shape().to_string());
}

void require_same_distribution(const std::string& what, const std::vector<double>& actual,
                               const std::vector<double>& expected) {
  const Moments a = moments_of(actual);
  const Moments b = moments_of(expected);
  const double rounding = output_tolerance * std::abs(b.mean);
  const double standard_error = std::hypot(a.deviation, b.deviation) / std::sqrt(static_cast<double>(expected.size()));
  const bool has_mean = std::abs(a.mean - b.mean) <= 6 * standard_error + rounding;
  const bool has_deviation = a.deviation <= 2.5 * b.deviation + rounding && b.deviation <= 2.5 * a.deviation + rounding;
  if (has_mean && has_deviation) return;
  std::ostringstream message;
  message << what << " has mean " << a.mean << " and deviation " << a.deviation << " while training; Keras's has "
          << b.mean << " and " << b.deviation;
  throw Error(message.str());
}

}  // namespace rhyton::interop
