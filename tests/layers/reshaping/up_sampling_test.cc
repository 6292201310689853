// What the golden cases of UpSampling1D, UpSampling2D and UpSampling3D do not show.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/reshaping/up_sampling1d.h>
#include <rhyton/layers/reshaping/up_sampling2d.h>
#include <rhyton/layers/reshaping/up_sampling3d.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using test::message_of;

const std::vector<std::string> all_interpolations = {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", "area"};

TEST(UpSampling, HasTheFormsOfKeras) {
  EXPECT_EQ(UpSampling1D(3).get_config()["size"].as_int(), 3);
  EXPECT_EQ(UpSampling1D({.size = 4}).get_config()["size"].as_int(), 4);
  EXPECT_EQ(UpSampling2D(3).get_config()["size"].dump(), "[3, 3]");
  EXPECT_EQ(UpSampling2D({2, 3}).get_config()["size"].dump(), "[2, 3]");
  EXPECT_EQ(UpSampling3D({1, 2, 3}).get_config()["size"].dump(), "[1, 2, 3]");
  EXPECT_EQ(UpSampling3D({.size = 3}).get_config()["size"].dump(), "[3, 3, 3]");
}

TEST(UpSampling, ConfigComesBack) {
  const UpSampling2D layer({2, 3}, {.data_format = "channels_first", .interpolation = "BILINEAR", .name = "up"});
  EXPECT_EQ(layer.get_config().dump(),
            R"({"name": "up", "trainable": true, "dtype": "float32", "size": [2, 3], "data_format": "channels_first", )"
            R"("interpolation": "bilinear"})");
  EXPECT_EQ(UpSampling2D::from_config(layer.get_config()).get_config(), layer.get_config());
  EXPECT_EQ(UpSampling2D::from_config(io::Json::object({{"size", 3}})).get_config()["size"].dump(), "[3, 3]");
  EXPECT_THROW(UpSampling1D::from_config(io::Json::object({{"size", 1.5}})), TypeError);
}

TEST(UpSampling, ErrorsAreThoseOfKeras) {
  EXPECT_EQ(message_of<ValueError>([] { UpSampling1D(0); }),
            "Argument `size` should be a positive integer. Received: size=0");
  EXPECT_EQ(message_of<ValueError>([] { UpSampling2D(0); }),
            "The `size` argument must be a tuple of 2 integers. Received size=0, including values {0} that do not "
            "satisfy `value > 0`");
  EXPECT_EQ(message_of<ValueError>([] {
              UpSampling3D({2, -1, 2});
            }),
            "The `size` argument must be a tuple of 3 integers. Received size=(2, -1, 2), including values {-1} that "
            "do not satisfy `value > 0`");
  EXPECT_EQ(message_of<ValueError>([] { UpSampling2D({.interpolation = "foo"}); }),
            "Invalid value for argument `interpolation`. Expected of one ('bilinear', 'nearest', 'lanczos3', "
            "'lanczos5', 'bicubic', 'area'). Received: interpolation=foo");
  EXPECT_THROW(UpSampling2D({.data_format = "first"}), ValueError);
  EXPECT_THROW(UpSampling1D()(Input({.shape = {3}})), ValueError);
  EXPECT_THROW(UpSampling2D()(Input({.shape = {3, 4}})), ValueError);
  EXPECT_THROW(UpSampling3D()(Input({.shape = {3, 4, 2}})), ValueError);
}

TEST(UpSampling, InfersShapes) {
  EXPECT_EQ(UpSampling1D(3)(Input({.shape = {4, -1}})).shape(), (Shape{-1, 12, -1}));
  EXPECT_EQ(UpSampling1D(3)(Input({.shape = {-1, 2}})).shape(), (Shape{-1, -1, 2}));
  EXPECT_EQ(UpSampling3D({1, 2, 3})(Input({.shape = {4, -1, 5, 2}})).shape(), (Shape{-1, 4, -1, 15, 2}));
  for (const std::string& interpolation : all_interpolations) {
    const UpSampling2D layer({2, 3}, {.interpolation = interpolation});
    EXPECT_EQ(layer(Input({.shape = {-1, 5, 3}})).shape(), (Shape{-1, -1, 15, 3}));
    EXPECT_EQ(layer(Input({.shape = {4, -1, -1}})).shape(), (Shape{-1, 8, -1, -1}));
    // No weights are made for shapes alone.
    EXPECT_EQ(layer(Input({.shape = {1 << 20, 1 << 20, 1}})).shape(), (Shape{-1, 1 << 21, 3 << 20, 1}));
  }
}

TEST(UpSampling, RefusesSizesThatOverflow) {
  constexpr std::int64_t large = std::int64_t{1} << 62;
  EXPECT_THROW(UpSampling1D(+large)(Input({.shape = {4, 2}})), ValueError);
  EXPECT_THROW(UpSampling3D({1, large, 1})(Input({.shape = {4, 4, 4, 2}})), ValueError);
  for (const std::string& interpolation : all_interpolations) {
    const UpSampling2D layer({large, 1}, {.interpolation = interpolation});
    EXPECT_THROW(layer(Input({.shape = {4, 2, 1}})), ValueError);
    EXPECT_THROW(layer(Tensor::zeros({1, 4, 2, 1})), Error);
  }
}

TEST(UpSampling2D, InterpolatesNoEmptyImages) {
  const Tensor empty = Tensor::zeros({1, 0, 3, 2});
  EXPECT_EQ(UpSampling2D()(empty).shape(), (Shape{1, 0, 6, 2}));
  EXPECT_NE(message_of<ValueError>([&] {
              UpSampling2D({.interpolation = "bicubic"})(empty);
            }).find("`size` must have positive height and width. Received: size=(0, 6)"),
            std::string::npos);
  EXPECT_EQ(UpSampling2D({.interpolation = "bilinear"})(Tensor::zeros({0, 2, 3, 2})).shape(), (Shape{0, 4, 6, 2}));
  EXPECT_EQ(UpSampling2D({.interpolation = "bilinear"})(Tensor::zeros({1, 2, 3, 0})).shape(), (Shape{1, 4, 6, 0}));
}

TEST(UpSampling2D, KeepsTheDtype) {
  for (const std::string& interpolation : all_interpolations) {
    const Tensor x = test::random_tensor({1, 3, 4, 2}, 1, 0, 1);
    const Tensor expected = UpSampling2D({.interpolation = interpolation})(x);
    for (const char* const dtype : {"float16", "bfloat16", "float64"}) {
      const Tensor y = UpSampling2D({.interpolation = interpolation, .dtype = dtype})(x);
      EXPECT_EQ(name_of(y.dtype()), dtype);
      test::expect_close(y.cast(DType::float32), expected, 2e-2, interpolation);
    }
    EXPECT_EQ(UpSampling2D({.interpolation = interpolation, .dtype = "mixed_float16"})(x).dtype(), DType::float16);
  }
}

TEST(UpSampling2D, EqualsItselfWithChannelsFirst) {
  const Tensor x = test::random_tensor({2, 3, 4, 5}, 1, -1, 1);
  for (const std::string& interpolation : all_interpolations) {
    const UpSampling2D last({2, 3}, {.data_format = "channels_last", .interpolation = interpolation});
    const UpSampling2D first({2, 3}, {.data_format = "channels_first", .interpolation = interpolation});
    test::expect_close(transpose(first(x), {0, 2, 3, 1}), last(transpose(x, {0, 2, 3, 1})), 1e-6, interpolation);
  }
}

}  // namespace
}  // namespace rhyton::layers
