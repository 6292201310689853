#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/group_normalization.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

TEST(GroupNormalization, OfOneGroupIsALayerNormalizationOfWholeSamples) {
  const Tensor x = test::random_tensor({2, 3, 4}, 1);
  const Tensor y = GroupNormalization({.groups = 1})(x);
  test::expect_close(y, LayerNormalization({.axis = {1, 2}})(x), 1e-6, "output");
}

TEST(GroupNormalization, WritesTheGroupsOfEachChannelOnceItIsBuilt) {
  const GroupNormalization layer({.groups = -1, .axis = 1});
  EXPECT_EQ(layer.get_config()["groups"].as_int(), -1);
  layer.build({-1, 3, 4});
  const Layer read = deserialize(serialize(layer));
  EXPECT_EQ(read.get_config()["groups"].as_int(), 3);
  EXPECT_EQ(read.get_config()["axis"].as_int(), 1);
  EXPECT_EQ(read.weights().size(), 2);
}

TEST(GroupNormalization, ComputesHalfTypesInFloat32) {
  const Tensor x = Tensor::from_data<float>({1, 2}, {30000, -30000});
  const Tensor y = GroupNormalization({.groups = 1, .dtype = "mixed_float16"})(x);
  EXPECT_EQ(y.dtype(), DType::float16);
  EXPECT_EQ(y.to_vector(), (std::vector<double>{1, -1}));
}

TEST(GroupNormalization, TakesEmptyInputsAndUnknownLengths) {
  EXPECT_EQ(GroupNormalization({.groups = 2})(Tensor::zeros({0, 3, 4})).shape(), (Shape{0, 3, 4}));
  EXPECT_EQ(GroupNormalization({.groups = 2})(Tensor::zeros({2, 0, 4})).shape(), (Shape{2, 0, 4}));
  EXPECT_EQ(GroupNormalization({.groups = 2})(Input({.shape = {-1, 4}})).shape(), (Shape{-1, -1, 4}));
  EXPECT_THROW(GroupNormalization({.groups = -1})(Tensor::zeros({2, 0})), ValueError);
}

TEST(GroupNormalization, HasOneAxis) {
  EXPECT_THROW(GroupNormalization::from_config(io::Json::object({{"axis", io::Json::array({1})}})), TypeError);
  EXPECT_THROW(GroupNormalization({.groups = 1, .axis = 3})(Tensor::zeros({2, 4})), ValueError);
  EXPECT_THROW(GroupNormalization({.groups = 1})(Tensor::zeros({4})), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
