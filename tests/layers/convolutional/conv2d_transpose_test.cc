#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/convolutional/conv1d_transpose.h>
#include <rhyton/layers/convolutional/conv2d_transpose.h>
#include <rhyton/layers/convolutional/conv3d_transpose.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using test::message_of;

TEST(Conv2DTranspose, HasTheShapesOfKeras) {
  const Conv2DTranspose layer(5, {2, 3}, {.strides = {3, 1}});
  EXPECT_EQ(layer(Input({.shape = {4, -1, 2}})).shape(), (Shape{-1, 12, -1, 5}));
  EXPECT_EQ(layer.weights()[0].shape(), (Shape{2, 3, 5, 2}));
  EXPECT_EQ(Conv3DTranspose(3, 2, {.strides = 2})(Input({.shape = {2, 3, -1, 2}})).shape(), (Shape{-1, 4, 6, -1, 3}));
  EXPECT_EQ(Conv1DTranspose(3, 2, {.strides = 2})(Input({.shape = {-1, 2}})).shape(), (Shape{-1, -1, 3}));
}

TEST(Conv2DTranspose, EqualsItselfWithChannelsFirst) {
  const Tensor x = test::random_tensor({2, 3, 4, 2}, 1, -1, 1);
  const Conv2DTranspose last(3, 3, {.strides = 2, .padding = "same", .output_padding = 1});
  const Conv2DTranspose first(3, 3,
                              {.strides = 2, .padding = "same", .output_padding = 1, .data_format = "channels_first"});
  const Tensor y = last(x);
  first.build({-1, 2, 3, 4});
  first.set_weights(last.get_weights());
  test::expect_close(transpose(first(transpose(x, {0, 3, 1, 2})), {0, 2, 3, 1}), y, 1e-6, "output");
}

// TensorFlow refuses this length, the other backends of Keras crop half of the kernel on both sides.
TEST(Conv1DTranspose, CropsAnEvenKernelWithoutOutputPadding) {
  const Conv1DTranspose layer(1, 2,
                              {.strides = 3, .padding = "same", .output_padding = 0, .kernel_initializer = "ones"});
  const Tensor x = Tensor::from_data<float>({1, 3, 1}, {1, 2, 4});
  EXPECT_EQ(layer(x).to_vector(), (std::vector<double>{1, 0, 2, 2, 0, 4}));
}

TEST(Conv3DTranspose, TakesADilationRate) {
  const Tensor x = test::random_tensor({1, 2, 2, 2, 1}, 1, -1, 1);
  const Conv3DTranspose layer(1, {2, 1, 1}, {.dilation_rate = {3, 1, 1}, .kernel_initializer = "ones"});
  const Tensor y = layer(x);
  EXPECT_EQ(y.shape(), (Shape{1, 5, 2, 2, 1}));
  test::expect_close(slice_axis(y, 1, 0, 2), x, 1e-6, "first tap");
  test::expect_close(slice_axis(y, 1, 3, 5), x, 1e-6, "second tap");
  test::expect_close(slice_axis(y, 1, 2, 3), Tensor::zeros({1, 1, 2, 2, 1}), 0, "between");
}

TEST(Conv2DTranspose, TapsFarFromTheOutputNeedNoMemory) {
  const Tensor x = test::random_tensor({1, 3, 2, 1}, 1, -1, 1);
  const Conv2DTranspose layer(1, 3, {.padding = "same", .dilation_rate = 1 << 29, .kernel_initializer = "ones"});
  test::expect_close(layer(x), x, 1e-6, "the tap in the middle");
  const Conv2DTranspose beside(1, 2, {.padding = "same", .dilation_rate = 1 << 29, .kernel_initializer = "ones"});
  test::expect_close(beside(x), Tensor::zeros(x.shape()), 0, "no tap");
}

TEST(Conv2DTranspose, WritesTheOutputPaddingThatIsGiven) {
  EXPECT_TRUE(Conv2DTranspose(1, 2).get_config()["output_padding"].is_null());
  const Conv2DTranspose layer(1, 2, {.strides = 2, .output_padding = 1});
  EXPECT_EQ(layer.get_config()["output_padding"].dump(), "[1, 1]");
  EXPECT_EQ(Conv2DTranspose::from_config(layer.get_config()).get_config(), layer.get_config());
}

TEST(Conv2DTranspose, RefusesInKerassWords) {
  EXPECT_EQ(message_of<ValueError>([] {
              Conv2DTranspose(1, 2, {.strides = {3, 2}, .output_padding = 2});
            }),
            "`output_padding` must be strictly less than `strides` for all dimensions. At dimension 1, "
            "`output_padding` is 2 but `strides` is 2. Received: output_padding=(2, 2), strides=(3, 2)");
  EXPECT_THAT(message_of<ValueError>([] { Conv2DTranspose(1, 2, {.output_padding = -1}); }),
              ::testing::HasSubstr("that do not satisfy `value >= 0`"));
  EXPECT_THROW(Conv2DTranspose(0, 2), ValueError);
  EXPECT_THROW(Conv2DTranspose(1, 2, {.strides = 2, .dilation_rate = 2}), ValueError);
  EXPECT_THROW(Conv2DTranspose(1, 2)(Input({.shape = {4, 2}})), ValueError);
  EXPECT_THROW(Conv2DTranspose(1, 2, {.strides = std::int64_t{1} << 62})(Input({.shape = {4, 4, 2}})), Error);
  EXPECT_THROW(Conv2DTranspose(1, 2, {.dilation_rate = std::int64_t{1} << 62})(Input({.shape = {4, 4, 2}})), Error);
}

}  // namespace
}  // namespace rhyton::layers
