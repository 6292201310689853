#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/rms_normalization.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

TEST(RMSNormalization, ComputesHalfTypesInFloat32) {
  const Tensor x = Tensor::from_data<float>({1, 2}, {3000, 3000});
  const RMSNormalization layer({.dtype = "mixed_float16"});
  const Tensor y = layer(x);
  EXPECT_EQ(y.dtype(), DType::float16);
  EXPECT_EQ(y.to_vector(), (Values{1, 1}));
  EXPECT_EQ(layer.weights().front().dtype(), DType::float32);
}

TEST(RMSNormalization, KeepsIntegersAndTakesEmptyInputs) {
  EXPECT_EQ(RMSNormalization()(Tensor::from_data<std::int32_t>({1, 2}, {2, -2})).to_vector(), (Values{0, 0}));
  EXPECT_EQ(RMSNormalization()(Tensor::zeros({0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(RMSNormalization()(Tensor::zeros({3, 0})).shape(), (Shape{3, 0}));
  EXPECT_EQ(RMSNormalization()(Input({.shape = {-1, 4}})).shape(), (Shape{-1, -1, 4}));
}

// As in Keras, the scale is multiplied by broadcasting: it does not follow the axis.
TEST(RMSNormalization, NeedsTheLastAxes) {
  EXPECT_THROW(RMSNormalization({.axis = 1})(Tensor::zeros({2, 3, 4})), Error);
  EXPECT_EQ(RMSNormalization({.axis = 1})(Tensor::zeros({2, 4, 4})).shape(), (Shape{2, 4, 4}));
}

TEST(RMSNormalization, WritesAListOnceItIsBuilt) {
  const RMSNormalization layer({.axis = -1, .epsilon = 0.5});
  EXPECT_EQ(layer.get_config()["axis"].dump(), "-1");
  layer.build({-1, 3});
  const Layer read = deserialize(serialize(layer));
  EXPECT_EQ(read.get_config()["axis"].dump(), "[-1]");
  EXPECT_EQ(read.get_config()["epsilon"].as_double(), 0.5);
  EXPECT_EQ(read.weights().front().shape(), Shape({3}));
}

}  // namespace
}  // namespace rhyton::layers
