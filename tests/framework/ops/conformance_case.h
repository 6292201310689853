#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::conformance {

/// The values of one input of a case. Floating inputs are run in float32 and in float64.
struct Input {
  Shape shape = {};
  DType dtype = DType::float32;
  double lowest = -2.0;
  double highest = 2.0;
  /// Kinks of the function, which no element is close to.
  std::vector<double> avoid = {};
  /// No two elements are close to each other: no ties.
  bool distinct = false;
  /// The elements themselves, if they matter.
  std::vector<double> values = {};
};

/// One call of an op, and the checks of it. All ops in `call` are recorded: each of them, and each op in its first and
/// second derivative, is also checked against its batch rule.
struct Case {
  std::string name;
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> call = {};
  std::vector<Input> inputs;
  /// Of float32 compared with float64, relative to the largest element (at least 1).
  double tolerance = 2e-6;
  /// Of float16 and bfloat16 compared with float64, likewise, in units of their precision: one for a single rounding.
  double half_tolerance = 4.0;
  /// False for ops built from kernels that exist only for float32.
  bool takes_halves = true;
  /// The number of derivatives; they are compared with finite differences in float64.
  int derivatives = 2;
  /// False if float32 and float64 differ by design (random numbers).
  bool compares_precisions = true;
  /// False if their gradients do.
  bool compares_gradients = true;
  /// Further dtypes for floating inputs, rounded to small integers, which all dtypes can represent.
  std::vector<DType> also = {};
};

/// The text of a case in GoogleTest's output.
inline void PrintTo(const Case& test, std::ostream* stream) { *stream << test.name; }

/// Lists for `Case::also`: the dtypes of integers, and all but float32 and float64.
inline std::vector<DType> integer_dtypes() { return {DType::int32, DType::int64, DType::uint8}; }
inline std::vector<DType> further_dtypes() {
  return {DType::float16, DType::bfloat16, DType::int32, DType::int64, DType::uint8, DType::bool_};
}

/// A call with one result.
inline std::vector<Tensor> one(const Tensor& tensor) { return {tensor}; }

// One table per op family.
std::vector<Case> elementwise_cases();
std::vector<Case> reduce_cases();
std::vector<Case> normalization_cases();
std::vector<Case> shaping_cases();
std::vector<Case> gather_cases();
std::vector<Case> indexing_cases();
std::vector<Case> rearranging_cases();
std::vector<Case> ordering_cases();
std::vector<Case> product_cases();
std::vector<Case> special_cases();
std::vector<Case> softmax_cases();
std::vector<Case> random_cases();
std::vector<Case> matmul_cases();
std::vector<Case> conv_cases();
std::vector<Case> pooling_cases();
std::vector<Case> window_cases();
std::vector<Case> optimizer_update_cases();
std::vector<Case> linear_algebra_cases();
std::vector<Case> fourier_cases();
std::vector<Case> collective_cases();
std::vector<Case> attention_cases();
std::vector<Case> recurrent_cases();
std::vector<Case> control_flow_cases();

/// All cases.
std::vector<Case> all_cases();

}  // namespace rhyton::conformance
