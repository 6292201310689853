#pragma once

#include <utility>
#include <vector>

namespace rhyton::callbacks {

/// A value in logs: a number, or for a metric with a vector as its result, such as an F1Score without average, the
/// elements. As a number, a vector is the mean of its elements, which Keras's progress bar shows.
class LogValue {
 public:
  LogValue() = default;
  LogValue(double number) : number_(number) {}  // NOLINT(google-explicit-constructor): numbers are values
  explicit LogValue(std::vector<double> elements);

  operator double() const { return number_; }  // NOLINT(google-explicit-constructor): values are used as numbers
  bool is_vector() const { return is_vector_; }
  /// The elements of a vector; of a number itself.
  std::vector<double> elements() const { return is_vector_ ? elements_ : std::vector<double>{number_}; }

 private:
  double number_ = 0;
  bool is_vector_ = false;
  std::vector<double> elements_;
};

}  // namespace rhyton::callbacks
