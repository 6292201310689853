// Gradients where a function has a pole that is not used: TensorFlow's.

#include <functional>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/framework/ops/reduce.h>

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

}  // namespace
}  // namespace rhyton
