#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton {

/// How numpy writes the floating-point numbers of one array: all in the same notation and to the same width, with the
/// minimum number of digits that distinguishes each from its neighbours in its dtype, and at most 8 after the point.
class FloatFormat {
 public:
  /// The format for an array that shows these values. `dtype` is float16, float32 or float64.
  FloatFormat(std::span<const double> values, DType dtype);

  std::string operator()(double value) const;

 private:
  void choose_scientific(std::span<const double> finite);
  void choose_positional(std::span<const double> finite);

  DType dtype_;
  bool is_scientific_ = false;
  /// Digits after the point: exactly so many in scientific notation, at most so many otherwise.
  int precision_ = 8;
  int exponent_digits_ = 2;
  std::size_t pad_left_ = 0;
  std::size_t pad_right_ = 0;
};

/// The value; NaN without its sign, which depends on the processor, and which C++ would print ("-nan").
double without_sign_of_nan(double value);

/// A single number of that dtype as numpy's `str` writes it: "3.0", "0.33333334", "1e+20", "nan".
std::string scalar_to_string(double value, DType dtype);

/// A bfloat16 number as `str` writes it, alone or in an array: six digits, "0.100098", "1e-06".
std::string bfloat16_to_string(double value);

}  // namespace rhyton
