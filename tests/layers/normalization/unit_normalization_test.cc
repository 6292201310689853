#include <gtest/gtest.h>

#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/unit_normalization.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

TEST(UnitNormalization, GivesRowsOfLengthOne) {
  const Tensor x = Tensor::from_data<float>({2, 2}, {3, 4, 0, -5});
  const Values rows = UnitNormalization()(x).to_vector();
  EXPECT_FLOAT_EQ(static_cast<float>(rows[0]), 0.6F);
  EXPECT_FLOAT_EQ(static_cast<float>(rows[1]), 0.8F);
  EXPECT_EQ(rows[3], -1.0);
  EXPECT_EQ(UnitNormalization({.axis = {1, -1}})(Tensor::zeros({2, 3, 4})).shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(UnitNormalization()(Input({.shape = {-1, 4}})).shape(), (Shape{-1, -1, 4}));
}

TEST(UnitNormalization, KeepsRowsOfZerosAndTakesEmptyInputs) {
  EXPECT_EQ(UnitNormalization()(Tensor::zeros({2, 2})).to_vector(), Values(4, 0.0));
  EXPECT_EQ(UnitNormalization()(Tensor::zeros({0, 2})).shape(), (Shape{0, 2}));
  EXPECT_EQ(UnitNormalization()(Tensor::zeros({2, 0})).shape(), (Shape{2, 0}));
}

// As in Keras, which computes it in float16: the squares overflow.
TEST(UnitNormalization, OverflowsInFloat16) {
  const Tensor x = Tensor::full({1, 2}, 300.0, DType::float32);
  EXPECT_EQ(UnitNormalization({.dtype = "mixed_float16"})(x).to_vector(), Values(2, 0.0));
}

TEST(UnitNormalization, ConfigComesBack) {
  const auto axis_of = [](const Axes& axis) {
    return deserialize(serialize(UnitNormalization({.axis = axis}))).get_config()["axis"].dump();
  };
  EXPECT_EQ(axis_of(-1), "-1");
  EXPECT_EQ(axis_of({2, 1}), "[2, 1]");
}

}  // namespace
}  // namespace rhyton::layers
