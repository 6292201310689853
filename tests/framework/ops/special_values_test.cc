// Infinities, NaN and other values that a numerical comparison does not cover.

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/framework/random/philox.h>

namespace rhyton {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(SpecialValues, NanStaysNan) {
  const Tensor x = Tensor::full({37}, nan);
  using Function = Tensor (*)(const Tensor&);
  for (const Function f : std::initializer_list<Function>{
           &negative, &ops::exp, &ops::log, &ops::log1p, &ops::expm1, &ops::sqrt, &rsqrt, &square, &ops::abs, &sign,
           &ops::sin, &ops::cos, &ops::erf, &ops::tanh, &sigmoid, &relu, &silu, &softplus}) {
    for (const double y : f(x).to_vector()) EXPECT_TRUE(std::isnan(y));
  }
  for (const Tensor& y :
       {leaky_relu(x), elu(x), gelu(x, false), gelu(x, true), clip_by_value(x, 0.0, 1.0), maximum(x, 0.0),
        minimum(x, 0.0), maximum(zeros_like(x), x), ops::max(x), ops::min(x), sum(x), softmax(x)}) {
    for (const double value : y.to_vector()) EXPECT_TRUE(std::isnan(value));
  }
  const Tensor mixed = Tensor::from_data<float>({4}, {1.0F, nan, 2.0F, -1.0F});
  EXPECT_TRUE(std::isnan(ops::max(mixed).item()));
  EXPECT_TRUE(std::isnan(ops::min(reshape(mixed, {4, 1}), {0}).to_vector()[0]));
}

// As in Keras.
TEST(SpecialValues, IsCloseOfInfinitiesFollowsTheFormula) {
  const Tensor x1 = Tensor::from_data<float>({6}, {infinity, infinity, -infinity, infinity, 1.0F, nan});
  const Tensor x2 = Tensor::from_data<float>({6}, {infinity, -infinity, -infinity, 1.0F, infinity, infinity});
  const std::vector<double> expected = {0, 1, 0, 0, 1, 0};
  EXPECT_EQ(isclose(x1, x2).to_vector(), expected);
  EXPECT_EQ(isclose(x1, x2, 1e-5, 1e-8, true).to_vector(), expected);
  EXPECT_EQ(allclose(x1, x1, 1e-5, 1e-8, true).item(), 1.0);
}

TEST(SpecialValues, ExponentialsReachZeroAndInfinity) {
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Tensor x = cast(Tensor::from_data<float>({6}, {-infinity, -1000.0F, 0.0F, 1.0F, 1000.0F, infinity}), dtype);
    const std::vector<double> y = ops::exp(x).to_vector();
    EXPECT_EQ(y[0], 0);
    EXPECT_EQ(y[1], 0);
    EXPECT_EQ(y[2], 1);
    EXPECT_NEAR(y[3], std::exp(1.0), 1e-6);
    EXPECT_EQ(y[4], infinity);
    EXPECT_EQ(y[5], infinity);
    EXPECT_EQ(logsumexp(cast(Tensor::full({3}, -infinity), dtype)).item(), -infinity);
    EXPECT_EQ(softmax(cast(Tensor::from_data<float>({2}, {0.0F, -2000.0F}), dtype)).to_vector(),
              (std::vector<double>{1, 0}));
  }
}

TEST(SpecialValues, NothingOverflows) {
  const Tensor x = Tensor::from_data<float>({4}, {-1000.0F, -100.0F, 100.0F, 1000.0F});
  EXPECT_EQ(sigmoid(x).to_vector(), (std::vector<double>{0, 0, 1, 1}));
  EXPECT_EQ(ops::tanh(x).to_vector(), (std::vector<double>{-1, -1, 1, 1}));
  EXPECT_EQ(softplus(x + 0.5).to_vector(), (std::vector<double>{0, 0, 100.5, 1000.5}));
  EXPECT_EQ(softplus(Tensor::from_data<float>({2}, {-infinity, infinity})).to_vector(),
            (std::vector<double>{0, infinity}));
  EXPECT_EQ(softmax(x).to_vector(), (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(log_softmax(x).to_vector(), (std::vector<double>{-2000, -1100, -900, 0}));
  EXPECT_EQ(logsumexp(x).item(), 1000.0);
  EXPECT_EQ(logsumexp(Tensor::full({3}, -infinity)).item(), -infinity);
  EXPECT_EQ(logsumexp(Tensor::full({3}, infinity)).item(), infinity);
  const Tensor labels = Tensor::from_data<float>({4}, {0.0F, 1.0F, 1.0F, 0.0F});
  EXPECT_EQ(sigmoid_cross_entropy_with_logits(labels, x).to_vector(), (std::vector<double>{0, 100, 0, 1000}));
}

TEST(SpecialValues, RoundingGoesToEven) {
  const Tensor x = Tensor::from_data<float>({5}, {-1.5F, -0.5F, 0.5F, 1.5F, 2.5F});
  EXPECT_EQ(ops::round(x).to_vector(), (std::vector<double>{-2, 0, 0, 2, 2}));
  EXPECT_EQ(cast(x, DType::int32).to_vector(), (std::vector<double>{-1, 0, 0, 1, 2}));
}

TEST(SpecialValues, ArgmaxTakesTheFirstOfEqualElements) {
  const Tensor x = Tensor::from_data<float>({2, 3}, {1, 3, 3, 0, 0, 0});
  EXPECT_EQ(argmax(x, 1).to_vector(), (std::vector<double>{1, 0}));
  EXPECT_EQ(argmin(x, 0).to_vector(), (std::vector<double>{1, 1, 1}));
}

TEST(SpecialValues, OperatorsTakeNumbersOnEitherSide) {
  const Tensor x = Tensor::from_data<std::int32_t>({2}, {3, 4});
  EXPECT_EQ((1 - x * 2).to_vector(), (std::vector<double>{-5, -7}));
  EXPECT_EQ((12.0 / cast(x, DType::float32)).to_vector(), (std::vector<double>{4, 3}));
  EXPECT_EQ((x >= 4).to_vector(), (std::vector<double>{0, 1}));
}

TEST(SpecialValues, RandomNumbersHaveTheirDistribution) {
  const Shape shape{100000};
  const Tensor uniform = random_uniform(shape, 5, 0, -1.0, 3.0);
  EXPECT_NEAR(mean(uniform).item(), 1.0, 0.02);
  EXPECT_NEAR(variance(uniform).item(), 16.0 / 12.0, 0.02);
  EXPECT_GE(ops::min(uniform).item(), -1.0);
  EXPECT_LT(ops::max(uniform).item(), 3.0);
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Tensor normal = random_normal(shape, 5, 1, 2.0, 3.0, dtype);
    EXPECT_NEAR(mean(normal).item(), 2.0, 0.04);
    EXPECT_NEAR(variance(normal).item(), 9.0, 0.2);
    const Tensor truncated = truncated_normal(shape, 5, 2, 2.0, 3.0, dtype);
    EXPECT_NEAR(mean(truncated).item(), 2.0, 0.04);
    EXPECT_NEAR(variance(truncated).item(), 9.0 * 0.7737, 0.1);
    EXPECT_LE(ops::max(ops::abs(truncated - 2.0)).item(), 6.0);
  }
}

TEST(SpecialValues, RandomNumbersAreThePhiloxStream) {
  const Tensor drawn = random_uniform({1003}, 99, 7);
  random::PhiloxSequence sequence(99, 7);
  for (const float value : drawn.elements<float>()) EXPECT_EQ(value, sequence.next_uniform());
  EXPECT_NE(random_uniform({8}, 99, 8).to_vector(), random_uniform({8}, 99, 7).to_vector());
  EXPECT_NE(random_uniform({8}, 98, 7).to_vector(), random_uniform({8}, 99, 7).to_vector());
}

// As Keras computes it on TensorFlow: sign(x) · floormod(|x|, |y|).
TEST(SpecialValues, RemaindersOfTheQuotientRoundedTowardsZero) {
  const std::vector<double> x = {2, -2, 0, infinity, 5, -5, nan, 5, 0, -5};
  const std::vector<double> y = {0, 0, 0, 3, infinity, infinity, 1, nan, 2, 3};
  const std::vector<double> expected = {nan, nan, nan, nan, 5, -5, nan, nan, 0, -2};
  const std::vector<double> slopes = {1, 1, 0, 1, 1, 1, nan, 1, 0, 1};
  for (const DType dtype : {DType::float32, DType::float64}) {
    const Tensor a = cast(Tensor::from_data({10}, x), dtype);
    const Tensor b = cast(Tensor::from_data({10}, y), dtype);
    GradientTape tape;
    tape.watch(a);
    const Tensor rest = fmod(a, b);
    const std::vector<double> results = rest.to_vector();
    const std::vector<double> slope = tape.gradient(rest, a).to_vector();
    for (std::size_t i = 0; i < x.size(); ++i) {
      SCOPED_TRACE(std::to_string(x[i]) + ", " + std::to_string(y[i]));
      EXPECT_TRUE(std::isnan(expected[i]) ? std::isnan(results[i]) : results[i] == expected[i]) << results[i];
      EXPECT_TRUE(std::isnan(slopes[i]) ? std::isnan(slope[i]) : slope[i] == slopes[i]) << slope[i];
    }
  }
}

}  // namespace
}  // namespace rhyton
