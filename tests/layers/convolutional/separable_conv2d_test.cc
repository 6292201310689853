#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/convolutional/separable_conv1d.h>
#include <rhyton/layers/convolutional/separable_conv2d.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

TEST(SeparableConv2D, HasTheShapesOfKeras) {
  const SeparableConv2D layer(5, {2, 3}, {.depth_multiplier = 4});
  EXPECT_EQ(layer(Input({.shape = {-1, 9, 3}})).shape(), (Shape{-1, -1, 7, 5}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{2, 3, 3, 4}));
  EXPECT_EQ(layer.weights()[1].shape(), (Shape{1, 1, 12, 5}));
  EXPECT_EQ(layer.weights()[1].name(), "pointwise_kernel");
  EXPECT_EQ(SeparableConv1D(2, 2)(Input({.shape = {-1, 3}})).shape(), (Shape{-1, -1, 2}));
}

TEST(SeparableConv2D, ReadsWhatKeras2Writes) {
  const io::Json config = io::Json::object({{"filters", 2},
                                            {"kernel_size", 3},
                                            {"groups", 1},
                                            {"kernel_initializer", "glorot_uniform"},
                                            {"kernel_constraint", nullptr}});
  EXPECT_EQ(SeparableConv2D::from_config(config).get_config()["filters"].as_int(), 2);
}

TEST(SeparableConv2D, RefusesInKerassWords) {
  EXPECT_EQ(test::message_of<ValueError>([] { SeparableConv2D(0, 2); }),
            "Invalid value for argument `filters`. Expected a strictly positive value. Received filters=0.");
  EXPECT_EQ(test::message_of<ValueError>([] { SeparableConv2D(1, 2, {.depth_multiplier = -1}); }),
            "Invalid value for argument `depth_multiplier`. Expected a strictly positive value. Received "
            "depth_multiplier=-1.");
  EXPECT_THROW(SeparableConv2D(1, 5)(Input({.shape = {4, 6, 3}})), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
