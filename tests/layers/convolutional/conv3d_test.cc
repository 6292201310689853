#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/convolutional/conv3d.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

TEST(Conv3D, EqualsItselfWithChannelsFirst) {
  const Tensor x = test::random_tensor({2, 4, 5, 3, 2}, 1, -1, 1);
  const Conv3D last(3, {2, 3, 1}, {.strides = {2, 1, 1}, .padding = "same"});
  const Conv3D first(3, {2, 3, 1}, {.strides = {2, 1, 1}, .padding = "same", .data_format = "channels_first"});
  const Tensor y = last(x);
  first.build({-1, 2, 4, 5, 3});
  first.set_weights(last.get_weights());
  test::expect_close(transpose(first(transpose(x, {0, 4, 1, 2, 3})), {0, 2, 3, 4, 1}), y, 1e-6, "output");
}

TEST(Conv3D, HasTheShapesOfKeras) {
  EXPECT_EQ(Conv3D(3, 2, {.strides = {1, 2, 3}})(Input({.shape = {5, -1, 7, 2}})).shape(), (Shape{-1, 4, -1, 2, 3}));
  EXPECT_EQ(Conv3D(3, 2)(Input({.shape = {-1, -1, -1, 2}})).shape(), (Shape{-1, -1, -1, -1, 3}));
  EXPECT_THROW(Conv3D(3, 4)(Input({.shape = {3, 5, 5, 2}})), ValueError);
}

TEST(Conv3D, TapsFarFromTheInputsNeedNoMemory) {
  const Conv3D layer(1, {3, 1, 1}, {.padding = "same", .dilation_rate = {1 << 29, 1, 1}, .kernel_initializer = "ones"});
  const Tensor x = test::random_tensor({1, 3, 2, 2, 1}, 1, -1, 1);
  test::expect_close(layer(x), x, 1e-6, "output");
  const Conv3D beside(1, {2, 1, 1},
                      {.padding = "same", .dilation_rate = {1 << 29, 1, 1}, .kernel_initializer = "ones"});
  test::expect_close(beside(x), Tensor::zeros(x.shape()), 0, "no tap on the inputs");
}

}  // namespace
}  // namespace rhyton::layers
