#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/convolutional/depthwise_conv1d.h>
#include <rhyton/layers/convolutional/depthwise_conv2d.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using ::testing::HasSubstr;

TEST(DepthwiseConv2D, HasTheShapesOfKeras) {
  const DepthwiseConv2D layer({2, 3}, {.depth_multiplier = 4});
  EXPECT_EQ(layer(Input({.shape = {-1, 9, 3}})).shape(), (Shape{-1, -1, 7, 12}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{2, 3, 3, 4}));
  EXPECT_EQ(layer.weights()[0].name(), "kernel");
  EXPECT_EQ(layer.weights()[1].shape(), (Shape{12}));
  EXPECT_EQ(DepthwiseConv1D(2)(Input({.shape = {-1, 3}})).shape(), (Shape{-1, -1, 3}));
}

TEST(DepthwiseConv2D, TakesStridesThatDiffer) {
  const Tensor x = test::random_tensor({1, 5, 6, 2}, 1, -1, 1);
  const DepthwiseConv2D layer(1, {.strides = {2, 3}, .use_bias = false, .depthwise_initializer = "ones"});
  EXPECT_EQ(layer(x).shape(), (Shape{1, 3, 2, 2}));
}

TEST(DepthwiseConv2D, ComputesInHalfPrecision) {
  const DepthwiseConv2D layer(2, {.dtype = "mixed_float16"});
  EXPECT_EQ(layer(Tensor::zeros({1, 4, 4, 2})).dtype(), DType::float16);
}

TEST(DepthwiseConv2D, ReadsTheGroupsThatKeras2Writes) {
  const io::Json config = io::Json::object({{"kernel_size", 3}, {"groups", 1}, {"depth_multiplier", 2}});
  EXPECT_EQ(DepthwiseConv2D::from_config(config).get_config()["depth_multiplier"].as_int(), 2);
  EXPECT_EQ(DepthwiseConv2D::from_config(config).get_config()["kernel_size"].dump(), "[3, 3]");
}

TEST(DepthwiseConv2D, RefusesInKerassWords) {
  EXPECT_EQ(message_of<ValueError>([] { DepthwiseConv2D(2, {.depth_multiplier = 0}); }),
            "Invalid value for argument `depth_multiplier`. Expected a strictly positive value. Received "
            "depth_multiplier=0.");
  EXPECT_THAT(message_of<ValueError>([] { DepthwiseConv2D(2, {.padding = "causal"}); }), HasSubstr("Received: causal"));
  EXPECT_THAT(message_of<ValueError>([] {
                DepthwiseConv2D(5, {.depth_multiplier = 2})(Input({.shape = {4, 6, 3}}));
              }),
              HasSubstr("`kernel shape=(5, 5, 3, 6)`, `dilation_rate=[1 1]`, `strides=(1, 1)`, `padding=valid`."));
  EXPECT_THROW(DepthwiseConv2D(2, {.depth_multiplier = std::int64_t{1} << 62})(Input({.shape = {4, 6, 8}})), Error);
}

}  // namespace
}  // namespace rhyton::layers
