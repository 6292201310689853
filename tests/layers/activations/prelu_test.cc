#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/prelu.h>
#include <rhyton/layers/core/input.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

Layer built(const PReLUOptions& options, const Shape& shape) {
  Layer layer = PReLU(options);
  layer.build(shape);
  return layer;
}

TEST(PReLU, HasASlopeForEachElement) {
  const Layer layer = built({}, {-1, 2});
  layer.set_weights({Tensor::from_data<float>({2}, {0.5, 2})});
  EXPECT_EQ(layer(Tensor::from_data<float>({2, 2}, {-2, -3, 4, -1})).to_vector(), (Values{-1, -6, 4, -2}));
}

TEST(PReLU, SharesAxes) {
  EXPECT_EQ(built({.shared_axes = {{1, 2}}}, {-1, 5, 6, 3}).weights()[0].shape(), (Shape{1, 1, 3}));
  EXPECT_EQ(built({.shared_axes = 1}, {-1, -1, 3}).weights()[0].shape(), (Shape{1, 3}));
  // As in Keras, which takes one off.
  EXPECT_EQ(built({.shared_axes = 0}, {-1, 4, 3}).weights()[0].shape(), (Shape{4, 1}));
  EXPECT_EQ(built({.shared_axes = -1}, {-1, 4, 3}).weights()[0].shape(), (Shape{1, 3}));
  const Layer images = PReLU({.shared_axes = {{1, 2}}});
  EXPECT_EQ(images(Input({.shape = {-1, -1, 3}})).shape(), (Shape{-1, -1, -1, 3}));
  EXPECT_EQ(images(Tensor::zeros({1, 7, 9, 3})).shape(), (Shape{1, 7, 9, 3}));
}

TEST(PReLU, WritesAxesAsAList) {
  const io::Json one = PReLU({.shared_axes = 1, .name = "p"}).get_config();
  EXPECT_EQ(one["shared_axes"].dump(), "[1]");
  EXPECT_TRUE(one["alpha_constraint"].is_null());
  EXPECT_EQ(PReLU::from_config(one).get_config(), one);
  EXPECT_TRUE(PReLU::from_config(PReLU().get_config()).get_config()["shared_axes"].is_null());
  EXPECT_THROW(PReLU::from_config(io::Json::object({{"alpha_constraint", "nonsense"}})), ValueError);
}

TEST(PReLU, RefusesWhatDoesNotFit) {
  for (const int axis : {3, 1000000, -3, -2147483647 - 1}) {
    EXPECT_THAT(
        [&] {
          built({.shared_axes = axis}, {-1, 4, 3});
        },
        ThrowsMessage<ValueError>(HasSubstr("shared_axes")))
        << axis;
  }
  EXPECT_THROW(built({.shared_axes = 1}, {}), ValueError);
  EXPECT_THROW(built({}, {-1, -1, 3}), ValueError);
  const Layer layer = built({.shared_axes = 1}, {-1, 4, 3});
  EXPECT_NO_THROW(layer(Tensor::zeros({2, 9, 3})));
  EXPECT_THROW(layer(Tensor::zeros({2, 4, 5})), ValueError);
  EXPECT_THROW(layer(Tensor::zeros({2, 3})), ValueError);
}

TEST(PReLU, ComputesInTheComputeDtype) {
  const Layer layer = PReLU({.dtype = "mixed_float16"});
  EXPECT_EQ(layer(Tensor::zeros({2, 3})).dtype(), DType::float16);
  EXPECT_EQ(layer.weights()[0].dtype(), DType::float32);
}

}  // namespace
}  // namespace rhyton::layers
