#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/layers/activations/softmax.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

TEST(Softmax, AlongOneAxisOrOverSeveral) {
  const Tensor x = Tensor::zeros({2, 3, 4});
  EXPECT_FLOAT_EQ(static_cast<float>(Softmax()(x).to_vector()[0]), 1.0f / 4);
  EXPECT_FLOAT_EQ(static_cast<float>(Softmax({.axis = 1})(x).to_vector()[0]), 1.0f / 3);
  EXPECT_FLOAT_EQ(static_cast<float>(Softmax({.axis = {1, 2}})(x).to_vector()[0]), 1.0f / 12);
  EXPECT_EQ(Softmax({.axis = {1, 2}})(x).shape(), x.shape());
  EXPECT_EQ(Softmax({.axis = {1, 2}})(Tensor::zeros({0, 3, 4})).shape(), (Shape{0, 3, 4}));
  EXPECT_EQ(deserialize(serialize(Softmax({.axis = {1, 2}}))).get_config()["axis"].dump(), "[1, 2]");
}

TEST(Softmax, OfNoAxisIsOneOverTheWholeBatch) {
  const Softmax layer({.axis = std::nullopt, .name = "all"});
  EXPECT_FLOAT_EQ(static_cast<float>(layer(Tensor::zeros({2, 3, 4})).to_vector()[5]), 1.0f / 24);
  EXPECT_EQ(layer(Tensor::zeros({})).to_vector(), (std::vector<double>{1}));
  EXPECT_EQ(layer(Tensor::zeros({0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(layer(Input({.shape = {-1, 3}})).shape(), (Shape{-1, -1, 3}));
  const Tensor x = Tensor::from_data<float>({2, 2}, {0, 0, 0, 0});
  const Tensor mask = Tensor::from_data<bool>({2, 2}, {true, false, false, true});
  EXPECT_EQ(layer(x, {.mask = mask}).to_vector(), (std::vector<double>{0.5, 0, 0, 0.5}));
  EXPECT_EQ(layer.get_config().dump(), R"({"name": "all", "trainable": true, "dtype": "float32", "axis": null})");
  EXPECT_TRUE(deserialize(serialize(layer)).get_config()["axis"].is_null());
}

}  // namespace
}  // namespace rhyton::layers
