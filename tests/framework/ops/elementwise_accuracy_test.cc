// The library's own implementations of float functions compared with the standard library in double precision over all
// magnitudes, and conversions to half types compared with those of the types.

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton {
namespace {

/// Floats of every sign and exponent, including NaN and infinities; a length that leaves a remainder.
std::vector<float> floats_of_all_kinds() {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits < 0x1'0000'0000; bits += 40009) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  for (const float value : {0.0F, 1.0F, 1e-45F, 1.5707964F, 3.1415927F, 1e6F, 999999.9F, 3e38F,
                            std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    values.push_back(value);
    values.push_back(-value);
  }
  values.resize(values.size() / 64 * 64 + 7);
  return values;
}

Tensor tensor_of(const std::vector<float>& values) {
  return Tensor::from_data({static_cast<std::int64_t>(values.size())}, values);
}

/// The error of a result in units in the last place.
double error_of(float actual, double expected) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) == std::isnan(expected) ? 0.0 : 1e9;
  const float rounded = static_cast<float>(expected);
  if (std::isinf(actual) || std::isinf(rounded)) return actual == rounded ? 0.0 : 1e9;
  const float size = std::abs(rounded);
  const double unit = static_cast<double>(std::nextafter(size, std::numeric_limits<float>::infinity())) - size;
  return std::abs(actual - expected) / unit;
}

void expect_accurate(Tensor (*f)(const Tensor&), double (*truth)(double)) {
  const std::vector<float> x = floats_of_all_kinds();
  const Tensor y = f(tensor_of(x));
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_LE(error_of(y.elements<float>()[i], truth(x[i])), 0.6) << "of " << x[i];
  }
  // The result of an element does not depend on its position.
  const Tensor moved = f(tensor_of({x.begin() + 3, x.begin() + 100}));
  for (std::size_t i = 0; i < 97; ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(moved.elements<float>()[i]),
              std::bit_cast<std::uint32_t>(y.elements<float>()[i + 3]));
  }
}

TEST(ElementwiseAccuracy, SineAndCosine) {
  expect_accurate(&ops::sin, [](double x) { return std::sin(x); });
  expect_accurate(&ops::cos, [](double x) { return std::cos(x); });
}

TEST(ElementwiseAccuracy, SquareRoot) {
  expect_accurate(&ops::sqrt, [](double x) { return std::sqrt(x); });
}

void expect_powers(const std::vector<float>& a, const std::vector<float>& b) {
  const Tensor y = power(tensor_of(a), tensor_of(b));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double truth = std::pow(static_cast<double>(a[i]), static_cast<double>(b[i]));
    const float actual = y.elements<float>()[i];
    ASSERT_LE(error_of(actual, truth), 0.6) << a[i] << " to the power of " << b[i];
    ASSERT_TRUE(std::isnan(truth) || std::signbit(actual) == std::signbit(truth)) << a[i] << ", " << b[i];
  }
}

TEST(ElementwiseAccuracy, Power) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> special;
  for (const float value : {0.0F, 0.5F, 1.0F, 1.0000001F, 2.0F, 3.0F, 127.0F, 149.5F, 16777215.0F, 4294967296.0F, 3e38F,
                            1e-40F, infinity, nan}) {
    special.push_back(value);
    special.push_back(-value);
  }
  std::vector<float> a;
  std::vector<float> b;
  for (const float base : special) {
    for (const float exponent : special) {
      a.push_back(base);
      b.push_back(exponent);
    }
  }
  expect_powers(a, b);
  a = floats_of_all_kinds();
  std::mt19937 generator(5);
  std::uniform_real_distribution<float> distribution(-40.0F, 40.0F);
  b.assign(a.size(), 0.0F);
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = distribution(generator) / static_cast<float>(1 + i % 7 * 3);
    if (i % 3 == 0) b[i] = std::round(b[i]);
    if (std::isnan(a[i])) a[i] = nan;  // std::pow of a signalling NaN is NaN even for an exponent of 0
  }
  expect_powers(a, b);
  EXPECT_EQ(power(tensor_of({-3.0F, 0.0F, 2.0F}), 2.0).to_vector(), (std::vector<double>{9, 0, 4}));
}

template <class T>
void expect_conversions(DType dtype) {
  const std::vector<float> x = floats_of_all_kinds();
  const Tensor shortened = cast(tensor_of(x), dtype);
  const Tensor back = cast(shortened, float32);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T expected(x[i]);
    ASSERT_EQ(shortened.elements<T>()[i].bits, expected.bits) << x[i];
    if (std::isnan(x[i])) {
      ASSERT_TRUE(std::isnan(back.elements<float>()[i]));
    } else {
      ASSERT_EQ(back.elements<float>()[i], static_cast<float>(expected)) << x[i];
    }
  }
}

TEST(ElementwiseAccuracy, ConversionsToHalfTypesAreThoseOfTheTypes) {
  expect_conversions<Half>(DType::float16);
  expect_conversions<BFloat16>(DType::bfloat16);
}

}  // namespace
}  // namespace rhyton
