// What the golden cases of CenterCrop do not show.

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/preprocessing/center_crop.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;

TEST(CenterCrop, HasTheComputeDtype) {
  const auto dtype_of = [](DType dtype, const std::string& policy, std::int64_t height) {
    return CenterCrop(height, 2, {.dtype = policy})(Tensor::zeros({1, 3, 3, 1}, dtype)).dtype();
  };
  for (const DType dtype : {DType::bool_, DType::uint8, DType::int64, DType::float16, DType::float64}) {
    for (const std::int64_t height : {2, 5}) {
      EXPECT_EQ(dtype_of(dtype, "float32", height), DType::float32);
      EXPECT_EQ(dtype_of(dtype, "mixed_float16", height), DType::float16);
    }
  }
  EXPECT_EQ(dtype_of(DType::float32, "uint8", 2), DType::uint8);
  EXPECT_EQ(dtype_of(DType::float32, "uint8", 5), DType::float32);
}

TEST(CenterCrop, CutsOrResizesImagesOfUnknownSize) {
  const CenterCrop layer(3, 7);
  EXPECT_EQ(layer(Input({.shape = {-1, -1, 3}})).shape(), (Shape{-1, 3, 7, 3}));
  EXPECT_EQ(layer(Input({.shape = {2, -1, -1}})).shape(), (Shape{-1, 3, 7, -1}));
  EXPECT_EQ(layer(Input({.shape = {9, 8, 3}, .dtype = "uint8"})).dtype(), DType::float32);
  EXPECT_EQ(layer(Input({.shape = {9, 8}})).shape(), (Shape{3, 7, 8}));
  EXPECT_EQ(CenterCrop(500, 500)(Input({.shape = {-1, -1, 3}})).shape(), (Shape{-1, 500, 500, 3}));
  EXPECT_EQ(CenterCrop(4, 5, {.data_format = "channels_first"})(Input({.shape = {3, -1, -1}})).shape(),
            (Shape{-1, 3, 4, 5}));
  for (const Shape& shape : {Shape{2, 9, 9, 3}, Shape{2, 2, 5, 3}, Shape{2, 2, 8, 3}, Shape{0, 2, 8, 3}}) {
    EXPECT_EQ(layer(Tensor::zeros(shape)).shape(), (Shape{shape[0], 3, 7, 3}));
  }
}

TEST(CenterCrop, TakesTheMiddle) {
  const Tensor image = Tensor::from_data<float>({1, 5, 1}, {0, 1, 2, 3, 4});
  EXPECT_EQ(CenterCrop(1, 3)(image).to_vector(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(CenterCrop(1, 2)(image).to_vector(), (std::vector<double>{1, 2}));
  EXPECT_EQ(CenterCrop(0, 2)(image).shape(), (Shape{0, 2, 1}));
}

TEST(CenterCrop, ConfigIsThatOfKeras) {
  EXPECT_EQ(CenterCrop(3, 7, {.name = "c"}).get_config().dump(),
            R"({"name": "c", "trainable": true, "dtype": "float32", "data_format": "channels_last", "height": 3, )"
            R"("width": 7})");
  const CenterCrop layer(3, 7, {.data_format = "channels_first", .bounding_box_format = "xywh"});
  EXPECT_EQ(layer.get_config()["bounding_box_format"].as_string(), "xywh");
  EXPECT_EQ(CenterCrop::from_config(layer.get_config()).get_config(), layer.get_config());
}

TEST(CenterCrop, ErrorsAreThoseOfKeras) {
  EXPECT_EQ(message_of<ValueError>([] { CenterCrop(-1, 7); }),
            "`height` and `width` must not be negative. Received: height=-1, width=7");
  EXPECT_EQ(message_of<ValueError>([] { CenterCrop(2, 7, {.data_format = "foo"}); }),
            "The `data_format` argument must be one of {'channels_first', 'channels_last'}. Received: data_format=foo");
  const CenterCrop layer(2, 7, {.name = "c"});
  const std::string rank =
      "Expected image tensor to have rank 3 (single image) or 4 (batch of images). Received: data.shape=";
  EXPECT_EQ(message_of<ValueError>([&] { layer(Tensor::zeros({2, 4})); }), rank + "(2, 4)");
  EXPECT_EQ(message_of<ValueError>([&] { layer(Input({.shape = {4}})); }), rank + "(None, 4)");
  EXPECT_NE(message_of<InvalidArgumentError>([&] {
              layer(Tensor::zeros({1, 3, 0, 2}));
            }).find("input image must be of non-zero size"),
            std::string::npos);
  EXPECT_NE(message_of<ValueError>([] {
              CenterCrop(0, 9)(Tensor::zeros({2, 4, 5, 3}));
            }).find("Images of shape (2, 4, 5, 3) cannot be resized to a size of 0. Received: height=0, width=9"),
            std::string::npos);
}

}  // namespace
}  // namespace rhyton::layers
