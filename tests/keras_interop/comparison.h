#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

// The tolerances for differences between Rhyton's results and Keras's.

namespace rhyton::interop {

/// The difference of two results, and the size of the expected one.
struct Deviation {
  double difference = 0;
  double size = 0;

  /// difference / size; 0 / 0 is no error.
  double ratio() const;
};

/// The largest difference of two outputs, and the largest size of an element of the expected one.
Deviation output_error(const Tensor& actual, const Tensor& expected);
/// ‖actual - expected‖ and ‖expected‖.
Deviation variable_error(const Tensor& actual, const Tensor& expected);
/// |actual - expected| and |expected|.
Deviation number_error(double actual, double expected);

/// The maximum difference: this fraction of the size, or this number, whichever is larger.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// Throws Error naming `what` when two samples of a random number cannot have the same distribution: their means differ
/// by more than six standard errors, or their deviations by more than a factor of 2.5 (for samples of some fifty each,
/// rarer than one in a million). If all of `expected` are equal, those of `actual` must be equal too.
void require_same_distribution(const std::string& what, const std::vector<double>& actual,
                               const std::vector<double>& expected);

constexpr double output_tolerance = 1e-5;
constexpr double variable_tolerance = 1e-4;
constexpr double loss_tolerance = 1e-4;

/// Throws Error naming `what` and all numbers when the difference is larger than the tolerance. Returns the ratio.
double require_near(const std::string& what, const Deviation& error, const Tolerance& tolerance);
/// Throws Error naming `what` when shapes or dtypes differ; bfloat16, which a recorded case has as float32, may.
void require_same_form(const std::string& what, const Tensor& actual, const Tensor& expected);

}  // namespace rhyton::interop
