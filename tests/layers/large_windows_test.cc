// Lengths from files that are far beyond memory or 64 bits: the layer rejects them with an error that names it.

#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/layers/reshaping/reshape.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t huge = (std::int64_t{1} << 62) + 2;

const Tensor images = Tensor::full({1, 8, 8, 1}, 1.0);

TEST(LargeWindows, ADilationBeyondTheLimitIsRefusedByTheLayer) {
  for (const std::int64_t dilation : {huge, std::int64_t{1} << 61, std::int64_t{1} << 31}) {
    for (const std::int64_t taps : {1, 3}) {
      const Conv2D layer(1, {taps, 1}, {.padding = "same", .dilation_rate = {dilation, 1}, .name = "far"});
      const auto is_named = ThrowsMessage<ValueError>(
          AllOf(HasSubstr("dilation_rate " + std::to_string(dilation)), HasSubstr("(layer 'far' of class Conv2D)")));
      EXPECT_THAT([&] { layer(images); }, is_named);
      EXPECT_THAT([&] { layer(Input({.shape = {8, 8, 1}})); }, is_named);
      EXPECT_THAT([&] { layer.build({-1, 8, 8, 1}); }, is_named);
    }
  }
}

TEST(LargeWindows, StridesAndPoolSizesToo) {
  const Conv2D strided(1, 3, {.strides = huge, .padding = "same", .name = "far"});
  EXPECT_THAT([&] { strided(images); }, ThrowsMessage<ValueError>(HasSubstr("(layer 'far' of class Conv2D)")));
  const MaxPooling2D largest(Size2(2, huge), {.strides = 1, .padding = "same", .name = "far"});
  EXPECT_THAT([&] { largest(images); }, ThrowsMessage<ValueError>(HasSubstr("(layer 'far' of class MaxPooling2D)")));
  const AveragePooling2D mean(2, {.strides = huge, .padding = "same", .name = "far"});
  EXPECT_THAT([&] { mean(images); }, ThrowsMessage<ValueError>(HasSubstr("(layer 'far' of class AveragePooling2D)")));
  // Positions of maximum values are counted in 32 bits.
  const MaxPooling2D wide(Size2(65536), {.strides = 1, .padding = "same", .name = "wide"});
  EXPECT_THAT([&] { wide(images); }, ThrowsMessage<ValueError>(HasSubstr("has at most 2147483647 cells")));
}

TEST(LargeWindows, WhatFitsIsComputed) {
  constexpr std::int64_t longest = (std::int64_t{1} << 30) - 1;
  const Conv2D layer(1, 3, {.padding = "same", .dilation_rate = longest, .kernel_initializer = initializers::Ones()});
  EXPECT_EQ(layer(images).to_vector(), images.to_vector());
  const AveragePooling2D mean(Size2(longest), {.strides = 1, .padding = "same"});
  EXPECT_EQ(mean(images).to_vector(), images.to_vector());
}

TEST(LargeWindows, ShapesThatCannotBeCountedAreRefusedByTheLayer) {
  constexpr std::int64_t large = std::int64_t{1} << 32;
  const Reshape reshape({large, large}, {.name = "far"});
  EXPECT_THAT([&] { reshape(images); }, ThrowsMessage<ValueError>(HasSubstr("(layer 'far' of class Reshape)")));
  const Reshape open({large, large, -1}, {.name = "far"});
  EXPECT_THAT([&] { open(images); }, ThrowsMessage<ValueError>(HasSubstr("(layer 'far' of class Reshape)")));
  const Flatten flatten({.name = "far"});
  EXPECT_THAT(
      [&] {
        flatten(Input({.shape = {large, large}}));
      },
      ThrowsMessage<ValueError>(HasSubstr("(layer 'far' of class Flatten)")));
  const Concatenate join({.axis = 1, .name = "far"});
  const SymbolicTensor long_rows = Input({.shape = {huge}});
  EXPECT_THAT(
      [&] {
        join({long_rows, long_rows});
      },
      ThrowsMessage<ValueError>(HasSubstr("(layer 'far' of class Concatenate)")));
}

}  // namespace
}  // namespace rhyton::layers
