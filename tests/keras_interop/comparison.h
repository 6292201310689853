#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

// How near what Rhyton computes has to come to what Keras computed.

namespace rhyton::interop {

/// The largest difference of two outputs, by the largest size of an element of the expected one.
double output_error(const Tensor& actual, const Tensor& expected);
/// ‖actual - expected‖ / ‖expected‖.
double variable_error(const Tensor& actual, const Tensor& expected);
/// |actual - expected| / |expected|.
double number_error(double actual, double expected);

/// Throws Error naming `what` when two samples of a random number cannot have one distribution: their means are more
/// than six standard errors apart, or their deviations differ by more than a factor of 2.5 (for samples of some fifty
/// each, rarer than one in a million). Where all of `expected` are equal, those of `actual` have to be, too.
void require_same_distribution(const std::string& what, const std::vector<double>& actual,
                               const std::vector<double>& expected);

constexpr double output_tolerance = 1e-5;
constexpr double variable_tolerance = 1e-4;
constexpr double loss_tolerance = 1e-4;

/// Throws Error naming `what` and both numbers when the error is not below the tolerance.
void require_near(const std::string& what, double error, double tolerance);
/// Throws Error naming `what` when shapes or dtypes differ.
void require_same_form(const std::string& what, const Tensor& actual, const Tensor& expected);

}  // namespace rhyton::interop
