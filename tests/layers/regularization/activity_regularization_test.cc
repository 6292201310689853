#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/regularization/activity_regularization.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

TEST(ActivityRegularization, AddsItsPenaltyPerSample) {
  const Layer layer = ActivityRegularization({.l1 = 0.5, .l2 = 0.25});
  const Tensor x = Tensor::from_data<float>({2, 2}, {1, -2, 3, 0});
  EXPECT_EQ(layer(x).to_vector(), x.to_vector());
  const std::vector<Tensor> losses = layer.losses();
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_FLOAT_EQ(static_cast<float>(losses[0].to_vector()[0]), (0.5F * 6 + 0.25F * 14) / 2);
}

TEST(ActivityRegularization, WritesItsFactorsOnly) {
  const Layer layer = ActivityRegularization({.l1 = 0.5, .name = "penalty"});
  EXPECT_EQ(layer.get_config().dump(),
            R"({"name": "penalty", "trainable": true, "dtype": "float32", "l1": 0.5, "l2": 0.0})");
  EXPECT_EQ(ActivityRegularization::from_config(layer.get_config()).get_config(), layer.get_config());
}

TEST(ActivityRegularization, RefusesNegativeFactors) {
  EXPECT_THAT([] { ActivityRegularization({.l2 = -1.0}); },
              ThrowsMessage<ValueError>(
                  HasSubstr("Invalid value for argument l2: expected a non-negative float.Received: l2=-1.0")));
}

}  // namespace
}  // namespace rhyton::layers
