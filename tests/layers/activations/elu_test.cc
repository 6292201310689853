#include <vector>

#include <gtest/gtest.h>

#include <rhyton/layers/activations/elu.h>
#include <rhyton/layers/core/input.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

TEST(ELU, SaturatesAtMinusAlpha) {
  const Tensor x = Tensor::from_data<float>({3}, {-100, 0, 3});
  EXPECT_EQ(ELU()(x).to_vector(), (Values{-1, 0, 3}));
  EXPECT_EQ(ELU({.alpha = 0.5})(x).to_vector(), (Values{-0.5, 0, 3}));
  EXPECT_EQ(ELU()(Input({.shape = {-1, 3}})).shape(), (Shape{-1, -1, 3}));
}

TEST(ELU, WritesAlphaAsKerasDoes) {
  EXPECT_EQ(ELU({.name = "elu"}).get_config().find("alpha"), nullptr);
  EXPECT_EQ(ELU::from_config(ELU({.alpha = 0.5}).get_config()).get_config()["alpha"].as_double(), 0.5);
}

}  // namespace
}  // namespace rhyton::layers
