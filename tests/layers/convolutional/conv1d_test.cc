#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/convolutional/conv1d.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using test::message_of;

TEST(Conv1D, EqualsItselfWithChannelsFirst) {
  for (const char* const padding : {"valid", "same", "causal"}) {
    const Tensor x = test::random_tensor({2, 7, 3}, 1, -1, 1);
    const Conv1D last(4, 3, {.padding = padding, .dilation_rate = 2, .activation = "tanh"});
    const Conv1D first(4, 3,
                       {.padding = padding, .data_format = "channels_first", .dilation_rate = 2, .activation = "tanh"});
    const Tensor y = last(x);
    first.build({-1, 3, 7});
    first.set_weights(last.get_weights());
    test::expect_close(transpose(first(transpose(x, {0, 2, 1})), {0, 2, 1}), y, 1e-6, padding);
  }
}

TEST(Conv1D, CausalOutputsDependOnNothingLater) {
  const Conv1D layer(1, 2, {.padding = "causal", .use_bias = false, .kernel_initializer = "ones"});
  EXPECT_EQ(layer(Tensor::from_data<float>({1, 4, 1}, {1, 2, 4, 8})).to_vector(), (std::vector<double>{1, 3, 6, 12}));
}

TEST(Conv1D, CausalTapsFarBeforeTheInputsNeedNoMemory) {
  const Conv1D layer(1, 3, {.padding = "Causal", .dilation_rate = 1 << 29, .kernel_initializer = "ones"});
  EXPECT_EQ(layer(Tensor::from_data<float>({1, 3, 1}, {1, 2, 4})).to_vector(), (std::vector<double>{1, 2, 4}));
}

TEST(Conv1D, HasTheShapesOfKeras) {
  EXPECT_EQ(Conv1D(4, 3)(Input({.shape = {-1, 2}})).shape(), (Shape{-1, -1, 4}));
  EXPECT_EQ(Conv1D(4, 3, {.strides = 2, .padding = "causal"})(Input({.shape = {9, 2}})).shape(), (Shape{-1, 5, 4}));
  const Conv1D layer(4, 3, {.groups = 2});
  layer.build({-1, 9, 6});
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{3, 3, 4}));
  EXPECT_EQ(layer.weights()[1].shape(), (Shape{4}));
}

TEST(Conv1D, RefusesInKerassWords) {
  EXPECT_EQ(message_of<ValueError>([] { Conv1D(3, 2, {.padding = "nonsense"}); }),
            "The `padding` argument must be a list/tuple or one of {'causal', 'same', 'valid'}. Received: nonsense");
  EXPECT_EQ(message_of<ValueError>([] { Conv1D(3, 2, {.strides = 2, .dilation_rate = 3}); }),
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=(2,) and "
            "dilation_rate=(3,)");
  EXPECT_THAT(message_of<ValueError>([] {
                Conv1D(3, 4)(Input({.shape = {3, 2}}));
              }),
              ::testing::HasSubstr("Computed output size would be zero or negative. Received `inputs shape=(None, 3, "
                                   "2)`, `kernel shape=(4, 2, 3)`, `dilation_rate=[1]`, `strides=(1,)`, "
                                   "`padding=valid`."));
  EXPECT_THAT(message_of<ValueError>([] {
                Conv1D(3, 2)(Input({.shape = {3, 4, 2}}));
              }),
              ::testing::HasSubstr("Kernel shape must have the same length as input"));
  EXPECT_THAT(message_of<ValueError>([] { Conv1D(3, 2)(Input({.shape = {3}})); }),
              ::testing::HasSubstr("expected min_ndim=3, found ndim=2"));
}

}  // namespace
}  // namespace rhyton::layers
