#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

TEST(ReLU, CutsAndScales) {
  const Tensor a = Tensor::from_data<float>({2, 3}, {1, -2, 3, 4, 5, -6});
  EXPECT_EQ(ReLU()(a).to_vector(), (Values{1, 0, 3, 4, 5, 0}));
  EXPECT_EQ(ReLU({.max_value = 3.5, .negative_slope = 0.5, .threshold = 2.0})(a).to_vector(),
            (Values{-0.5, -2, 3, 3.5, 3.5, -4}));
  EXPECT_THROW(ReLU({.negative_slope = -1.0}), ValueError);
  EXPECT_EQ(deserialize(serialize(ReLU({.max_value = 2.0})))(a).to_vector(), (Values{1, 0, 2, 2, 2, 0}));
}

}  // namespace
}  // namespace rhyton::layers
