#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::test {

/// ‖a − b‖ / ‖b‖; ‖a‖ if b is zero, infinity if the shapes differ or any element is not finite.
inline double relative_distance(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  const std::vector<double> left = a.to_vector();
  const std::vector<double> right = b.to_vector();
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference += (left[i] - right[i]) * (left[i] - right[i]);
    norm += right[i] * right[i];
  }
  const double distance = std::sqrt(difference / (norm == 0 ? 1 : norm));
  return std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
}

/// Expects equal shapes and dtypes, and elements that differ by at most `tolerance` times the largest expected one.
inline void expect_close_to_largest(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.spec(), expected.spec());
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> e = expected.to_vector();
  double scale = 1e-6;
  for (const double value : e) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], e[i], tolerance * scale) << "element " << i;
}

/// Whether two tensors have the same shape, dtype and bits.
inline ::testing::AssertionResult same_bits(const Tensor& a, const Tensor& b) {
  if (a.spec() != b.spec()) {
    return ::testing::AssertionFailure() << a.shape().to_string() << " is not " << b.shape().to_string()
                                         << ", or the dtypes differ";
  }
  if (std::memcmp(a.raw_data(), b.raw_data(), a.spec().bytes()) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "bits differ; relative distance " << relative_distance(a, b);
}

inline ::testing::AssertionResult same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " tensors and " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const ::testing::AssertionResult result = same_bits(a[i], b[i]);
    if (!result) return ::testing::AssertionFailure() << "tensor " << i << ": " << result.message();
  }
  return ::testing::AssertionSuccess();
}

}  // namespace rhyton::test
