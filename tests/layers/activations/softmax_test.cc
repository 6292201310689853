#include <gtest/gtest.h>

#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

TEST(Softmax, AlongOneAxisOrOverSeveral) {
  const Tensor x = Tensor::zeros({2, 3, 4});
  EXPECT_FLOAT_EQ(static_cast<float>(Softmax()(x).to_vector()[0]), 1.0f / 4);
  EXPECT_FLOAT_EQ(static_cast<float>(Softmax({.axis = 1})(x).to_vector()[0]), 1.0f / 3);
  EXPECT_FLOAT_EQ(static_cast<float>(Softmax({.axis = {1, 2}})(x).to_vector()[0]), 1.0f / 12);
  EXPECT_EQ(Softmax({.axis = {1, 2}})(x).shape(), x.shape());
  EXPECT_EQ(deserialize(serialize(Softmax({.axis = {1, 2}}))).get_config()["axis"].dump(), "[1, 2]");
}

}  // namespace
}  // namespace rhyton::layers
