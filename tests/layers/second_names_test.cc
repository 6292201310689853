// The second names of layers.

#include <concepts>

#include <gtest/gtest.h>
#include <rhyton/layers/second_names.h>

namespace rhyton::layers {
namespace {

TEST(SecondNamesOfLayers, AreOfTheSameClasses) {
  static_assert(std::same_as<Convolution1D, Conv1D> && std::same_as<Convolution2D, Conv2D> &&
                std::same_as<Convolution3D, Conv3D>);
  static_assert(std::same_as<MaxPool1D, MaxPooling1D> && std::same_as<AvgPool3D, AveragePooling3D>);
  static_assert(std::same_as<GlobalAvgPool1D, GlobalAveragePooling1D> &&
                std::same_as<GlobalMaxPool3D, GlobalMaxPooling3D>);
  EXPECT_EQ(MaxPool2D(2).class_name(), "MaxPooling2D");
  EXPECT_EQ(GlobalAvgPool2D().class_name(), "GlobalAveragePooling2D");
  EXPECT_EQ(Convolution2DTranspose(2, 3).class_name(), "Conv2DTranspose");
}

}  // namespace
}  // namespace rhyton::layers
