#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::conformance {

/// How one input of a case is filled. Floating inputs are run in float32 and in float64.
struct Input {
  Shape shape = {};
  DType dtype = DType::float32;
  double lowest = -2.0;
  double highest = 2.0;
  /// Kinks of the function: no element comes near them.
  std::vector<double> avoid = {};
  /// No two elements come near each other: no ties.
  bool distinct = false;
  /// The elements themselves, where they matter.
  std::vector<double> values = {};
};

/// One call of an op, and what is asked of it. Everything that `call` does is recorded: each op in it, and each op in
/// its first and second derivative, is checked against its batch rule too.
struct Case {
  std::string name;
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> call = {};
  std::vector<Input> inputs;
  /// Of float32 against float64, relative to the largest element (at least 1).
  double tolerance = 2e-6;
  /// Of float16 and bfloat16 against float64, likewise, in units of their precision: one for what rounds once.
  double half_tolerance = 4.0;
  /// False for what is made of kernels for float32 themselves.
  bool takes_halves = true;
  /// How often it can be differentiated; derivatives are compared with differences in float64.
  int derivatives = 2;
  /// False where float32 and float64 are meant to differ (random numbers).
  bool compares_precisions = true;
  /// Further dtypes that floating inputs are run in, rounded to small whole numbers, which all dtypes can hold.
  std::vector<DType> also = {};
};

/// How GoogleTest shows a case.
inline void PrintTo(const Case& test, std::ostream* stream) { *stream << test.name; }

/// A call with one result.
inline std::vector<Tensor> one(const Tensor& tensor) { return {tensor}; }

// One table per family.
std::vector<Case> elementwise_cases();
std::vector<Case> reduce_cases();
std::vector<Case> normalization_cases();
std::vector<Case> shaping_cases();
std::vector<Case> gather_cases();
std::vector<Case> softmax_cases();
std::vector<Case> random_cases();
std::vector<Case> matmul_cases();
std::vector<Case> conv_cases();
std::vector<Case> pooling_cases();
std::vector<Case> optimizer_update_cases();
std::vector<Case> linear_algebra_cases();
std::vector<Case> collective_cases();

/// All of them.
std::vector<Case> all_cases();

}  // namespace rhyton::conformance
