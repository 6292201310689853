#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/pooling/global_average_pooling1d.h>
#include <rhyton/layers/pooling/global_average_pooling3d.h>
#include <rhyton/layers/pooling/global_max_pooling1d.h>
#include <rhyton/layers/pooling/global_max_pooling2d.h>
#include <rhyton/layers/pooling/global_max_pooling3d.h>

namespace rhyton::layers {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Values = std::vector<double>;

SymbolicTensor globally_pooled(const Shape& shape) { return Input({.shape = shape}); }

TEST(GlobalPooling, ReducesAllSpatialAxes) {
  const Tensor x = Tensor::from_data<float>({1, 2, 2, 2}, {1, 8, 2, 7, 3, 6, 4, 5});
  EXPECT_EQ(GlobalMaxPooling2D()(x).to_vector(), (Values{4, 8}));
  EXPECT_EQ(GlobalMaxPooling2D({.data_format = "channels_first"})(x).to_vector(), (Values{8, 6}));
  EXPECT_EQ(GlobalMaxPooling1D()(Tensor::from_data<float>({1, 3, 1}, {-3, -1, -2})).to_vector(), (Values{-1}));
  EXPECT_EQ(GlobalAveragePooling3D()(Tensor::from_data<float>({1, 2, 1, 2, 1}, {1, 2, 3, 6})).to_vector(), (Values{3}));
}

TEST(GlobalPooling, LengthsMayBeUnknown) {
  EXPECT_EQ(GlobalMaxPooling1D()(globally_pooled({-1, 3})).shape(), (Shape{-1, 3}));
  EXPECT_EQ(GlobalMaxPooling2D({.keepdims = true})(globally_pooled({-1, -1, 3})).shape(), (Shape{-1, 1, 1, 3}));
  EXPECT_EQ(
      GlobalMaxPooling3D({.data_format = "channels_first", .keepdims = true})(globally_pooled({3, -1, 4, -1})).shape(),
      (Shape{-1, 3, 1, 1, 1}));
  EXPECT_EQ(GlobalAveragePooling3D()(globally_pooled({-1, -1, -1, 2})).shape(), (Shape{-1, 2}));
}

TEST(GlobalPooling, OnlyTheMeanOverStepsTakesAMask) {
  const Tensor x = Tensor::from_data<float>({1, 3, 1}, {1, 2, 9});
  const Tensor mask = Tensor::from_data<bool>({1, 3}, {true, true, false});
  EXPECT_EQ(GlobalAveragePooling1D()(x, {.mask = mask}).to_vector(), (Values{1.5}));
  const Tensor largest = GlobalMaxPooling1D()(x.with_mask(mask));
  EXPECT_EQ(largest.to_vector(), (Values{9}));
  EXPECT_FALSE(largest.has_mask());
  EXPECT_THROW(GlobalMaxPooling1D()(x, {.mask = mask}), Error);
}

TEST(GlobalPooling, LargestIntegersStayIntegers) {
  EXPECT_EQ(GlobalMaxPooling1D()(Tensor::from_data<std::int32_t>({1, 2, 1}, {3, 7})).dtype(), DType::int32);
  EXPECT_EQ(GlobalMaxPooling3D({.dtype = "mixed_float16"})(Tensor::zeros({1, 2, 2, 2, 1})).dtype(), DType::float16);
}

TEST(GlobalPooling, MeansOfIntegersAreComputedInFloat32) {
  const Tensor x = Tensor::from_data<std::int32_t>({1, 2, 1}, {100000, 200000});
  const Tensor mean = GlobalAveragePooling1D({.dtype = "mixed_float16"})(x);
  EXPECT_EQ(mean.dtype(), DType::float32);
  EXPECT_EQ(mean.to_vector(), (Values{150000}));
}

TEST(GlobalPooling, RefusesOtherRanks) {
  EXPECT_THAT(
      [] {
        GlobalMaxPooling3D()(globally_pooled({3, 3, 1}));
      },
      ThrowsMessage<ValueError>(HasSubstr("expected ndim=5, found ndim=4. Full shape received: "
                                          "(None, 3, 3, 1)")));
  EXPECT_THROW(GlobalMaxPooling1D()(globally_pooled({3})), ValueError);
  EXPECT_THROW(GlobalMaxPooling2D({.data_format = "x"}), ValueError);
}

TEST(GlobalPooling, ConfigComesBack) {
  const auto layer =
      GlobalMaxPooling2D::from_config(io::Json::parse(R"({"name": "g", "data_format": null, "keepdims": true})"));
  EXPECT_EQ(
      layer.get_config().dump(),
      R"({"name": "g", "trainable": true, "dtype": "float32", "data_format": "channels_last", "keepdims": true})");
}

}  // namespace
}  // namespace rhyton::layers
