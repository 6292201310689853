// Gradients where a function has a pole that is not used: TensorFlow's.

#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/sequences.h>

namespace rhyton {
namespace {

std::vector<double> gradient_of(const std::function<Tensor(const Tensor&)>& f, const std::vector<double>& values) {
  const Tensor x = Tensor::from_data(Shape({static_cast<std::int64_t>(values.size())}), values);
  GradientTape tape;
  tape.watch(x);
  return tape.gradient(sum(f(x)), x).to_vector();
}

TEST(Poles, HaveNoGradientWhereTheyAreNotUsed) {
  EXPECT_EQ(gradient_of([](const Tensor& x) { return where(x > 0.0, sqrt(x), 0.0); }, {0.0, 4.0}),
            (std::vector<double>{0.0, 0.25}));
  EXPECT_EQ(gradient_of([](const Tensor& x) { return minimum(rsqrt(x), 1.0); }, {0.0, 4.0}),
            (std::vector<double>{0.0, -0.0625}));
  EXPECT_EQ(gradient_of([](const Tensor& x) { return where(x > 0.0, reciprocal(x), 0.0); }, {0.0, 4.0}),
            (std::vector<double>{0.0, -0.0625}));
}

TEST(Poles, ARowOfZerosIsNormalizedWithAFiniteGradient) {
  for (const double value : gradient_of([](const Tensor& x) { return normalize(x); }, {0.0, 0.0})) {
    EXPECT_NEAR(value, 1e7, 1.0);
  }
}

TEST(Poles, SumsOfIntegersWrap) {
  const Tensor data = Tensor::from_data<std::int32_t>({2}, {2147483647, 65536});
  const Tensor ids = Tensor::from_data<std::int32_t>({2}, {0, 0});
  EXPECT_EQ(segment_sum(data, ids, 1).item(), -2147418113.0);
  const Tensor place = Tensor::from_data<std::int32_t>({2, 1}, {0, 0});
  EXPECT_EQ(scatter(place, data, {1}).item(), -2147418113.0);
}

TEST(Sequences, OfTheLargestNumbersEndWithAnError) {
  EXPECT_THROW(static_cast<void>(arange(0, std::numeric_limits<std::int64_t>::min(), -1)), Error);
  EXPECT_THROW(static_cast<void>(arange(9007199254740993, 9007199254740992, 1)), InvalidArgumentError);
  EXPECT_EQ(arange(5, 5, -1).size(), 0);
}

}  // namespace
}  // namespace rhyton
