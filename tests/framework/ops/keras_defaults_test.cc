// Arguments that are left out have the values that they have in keras.ops.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/statistics.h>

namespace rhyton {
namespace {

using Numbers = std::vector<double>;

TEST(KerasDefaults, GeluIsApproximate) {
  const Tensor x = Tensor::from_data<float>({2}, {1, -0.5});
  // keras.ops.gelu; keras.activations.gelu gives 0.84134474 and -0.15426877.
  EXPECT_NEAR(gelu(x).to_vector()[0], 0.841192, 1e-6);
  EXPECT_NEAR(gelu(x).to_vector()[1], -0.1542860, 1e-6);
}

TEST(KerasDefaults, ConcatenateJoinsTheFirstAxis) {
  const Tensor x = Tensor::from_data<float>({1, 2}, {1, 2});
  const Tensor y = concatenate({x, x * 3});
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ(y.to_vector(), (Numbers{1, 2, 3, 6}));
}

TEST(KerasDefaults, PositionsAreThoseAmongAllElements) {
  const Tensor x = Tensor::from_data<float>({2, 3}, {1, 3, -2, 0, 5, 4});
  EXPECT_EQ(argmax(x).shape(), Shape());
  EXPECT_EQ(argmax(x).to_vector(), Numbers{4});
  EXPECT_EQ(argmin(x).to_vector(), Numbers{2});
  EXPECT_EQ(argmax(x, -1).to_vector(), (Numbers{1, 1}));
  EXPECT_EQ(argmax(Tensor::scalar(2.0F)).to_vector(), Numbers{0});
  const Tensor gaps = Tensor::from_data<float>({2, 2}, {NAN, 3, 7, NAN});
  EXPECT_EQ(nanargmax(gaps).to_vector(), Numbers{2});
  EXPECT_EQ(nanargmin(gaps).to_vector(), Numbers{1});
  EXPECT_EQ(nanargmin(Tensor::full({2, 2}, NAN)).to_vector(), Numbers{-1});
}

}  // namespace
}  // namespace rhyton
