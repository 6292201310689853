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

}  // namespace rhyton::interop
