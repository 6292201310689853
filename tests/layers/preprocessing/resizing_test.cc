// What the golden cases of Resizing do not show.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/image/resizing.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/preprocessing/resizing.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::layers {
namespace {

using test::message_of;

const std::vector<std::string> all_interpolations = {"bilinear", "nearest", "lanczos3", "lanczos5", "bicubic", "area"};

TEST(Resizing, IsTheOp) {
  const Tensor images = test::random_tensor({2, 6, 9, 3}, 4);
  for (const std::string& interpolation : all_interpolations) {
    EXPECT_TRUE(test::same_bits(Resizing(4, 5, {.interpolation = interpolation})(images),
                                image::resize(images, {4, 5}, {.interpolation = interpolation})));
  }
  EXPECT_TRUE(test::same_bits(Resizing(4, 5, {.pad_to_aspect_ratio = true, .fill_value = 2})(images),
                              image::resize(images, {4, 5}, {.pad_to_aspect_ratio = true, .fill_value = 2})));
}

TEST(Resizing, KeepsIntegersAndConvertsOtherFloats) {
  const auto dtype_of = [](DType dtype, const std::string& policy) {
    return Resizing(2, 2, {.dtype = policy})(Tensor::zeros({1, 3, 3, 1}, dtype)).dtype();
  };
  for (const DType dtype : {DType::uint8, DType::int32, DType::int64}) {
    EXPECT_EQ(dtype_of(dtype, "float32"), dtype);
    EXPECT_EQ(dtype_of(dtype, "mixed_float16"), dtype);
  }
  for (const DType dtype : {DType::float16, DType::float32, DType::float64}) {
    EXPECT_EQ(dtype_of(dtype, "float32"), DType::float32);
    EXPECT_EQ(dtype_of(dtype, "mixed_float16"), DType::float16);
    EXPECT_EQ(dtype_of(dtype, "float64"), DType::float64);
  }
}

TEST(Resizing, InfersShapes) {
  for (const std::string& interpolation : all_interpolations) {
    const Resizing layer(4, 5, {.interpolation = interpolation});
    EXPECT_EQ(layer(Input({.shape = {-1, -1, 3}})).shape(), (Shape{-1, 4, 5, 3}));
    EXPECT_EQ(layer(Input({.shape = {7, -1, -1}})).shape(), (Shape{-1, 4, 5, -1}));
    // The batch of such an input is the height of one image, as in Keras.
    EXPECT_EQ(layer(Input({.shape = {7, 3}})).shape(), (Shape{4, 5, 3}));
    EXPECT_EQ(layer(Input({.shape = {7, 8, 3}, .dtype = "uint8"})).dtype(), DType::uint8);
  }
  const Resizing first(4, 5, {.crop_to_aspect_ratio = true, .data_format = "channels_first"});
  EXPECT_EQ(first(Input({.shape = {3, -1, -1}})).shape(), (Shape{-1, 3, 4, 5}));
  // No weights are made for shapes alone.
  EXPECT_EQ(Resizing(1 << 20, 1 << 20)(Input({.shape = {1 << 19, -1, 1}})).shape(), (Shape{-1, 1 << 20, 1 << 20, 1}));
}

TEST(Resizing, OfNoSamplesHasNone) {
  EXPECT_EQ(Resizing(4, 5)(Tensor::zeros({0, 3, 3, 2})).shape(), (Shape{0, 4, 5, 2}));
}

TEST(Resizing, ConfigIsThatOfKerasAndOlderVersionsReadIt) {
  EXPECT_EQ(Resizing(3, 7, {.name = "r"}).get_config().dump(),
            R"({"name": "r", "trainable": true, "dtype": "float32", "data_format": "channels_last", "height": 3, )"
            R"("width": 7, "interpolation": "bilinear", "crop_to_aspect_ratio": false})");
  const Resizing layer(3, 7,
                       {.interpolation = "BICUBIC",
                        .pad_to_aspect_ratio = true,
                        .fill_value = 0.5,
                        .antialias = true,
                        .data_format = "channels_first",
                        .bounding_box_format = "xyxy"});
  EXPECT_EQ(layer.get_config()["interpolation"].as_string(), "bicubic");
  EXPECT_EQ(layer.get_config()["bounding_box_format"].as_string(), "xyxy");
  EXPECT_EQ(layer.get_config()["antialias"], io::Json(true));
  EXPECT_EQ(layer.get_config()["pad_to_aspect_ratio"], io::Json(true));
  EXPECT_EQ(layer.get_config()["fill_value"], io::Json(0.5));
  EXPECT_EQ(Resizing::from_config(layer.get_config()).get_config(), layer.get_config());
}

TEST(Resizing, ErrorsAreThoseOfKeras) {
  EXPECT_EQ(message_of<ValueError>([] { Resizing(0, 7); }),
            "`size` must have positive height and width. Received: size=(0, 7)");
  EXPECT_EQ(message_of<ValueError>([] { Resizing(3, -1); }),
            "`size` must have positive height and width. Received: size=(3, -1)");
  EXPECT_EQ(message_of<ValueError>([] { Resizing(std::int64_t{1} << 31, 2); }),
            "The height and width of `size` must be at most 2147483647. Received: size=(2147483648, 2)");
  EXPECT_EQ(message_of<ValueError>([] { Resizing(2, 7, {.interpolation = "foo"}); }),
            "Invalid value for argument `interpolation`. Expected of one ('bilinear', 'nearest', 'lanczos3', "
            "'lanczos5', 'bicubic', 'area'). Received: interpolation=foo");
  EXPECT_EQ(message_of<ValueError>([] { Resizing(2, 7, {.fill_mode = "reflect"}); }),
            "Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: fill_mode=reflect");
  EXPECT_EQ(message_of<ValueError>([] { Resizing(2, 7, {.crop_to_aspect_ratio = true, .pad_to_aspect_ratio = true}); }),
            "Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.");
  EXPECT_EQ(message_of<ValueError>([] { Resizing(2, 7, {.data_format = "foo"}); }),
            "The `data_format` argument must be one of {'channels_first', 'channels_last'}. Received: data_format=foo");
  const Resizing layer(2, 7, {.name = "r"});
  const std::string rank =
      "Expected image tensor to have rank 3 (single image) or 4 (batch of images). Received: data.shape=";
  EXPECT_EQ(message_of<ValueError>([&] { layer(Tensor::zeros({2, 4})); }), rank + "(2, 4)");
  EXPECT_EQ(message_of<ValueError>([&] { layer(Input({.shape = {2, 3, 4, 5}})); }), rank + "(None, 2, 3, 4, 5)");
  for (const Shape& shape : {Shape{1, 0, 3, 2}, Shape{1, 3, 0, 2}}) {
    EXPECT_NE(message_of<InvalidArgumentError>([&] {
                layer(Tensor::zeros(shape));
              }).find("input image must be of non-zero size"),
              std::string::npos);
  }
  EXPECT_NE(message_of<InvalidArgumentError>([&] {
              layer(Input({.shape = {3, 3, 0}}));
            }).find("image must have at least one channel"),
            std::string::npos);
  EXPECT_NE(message_of<InvalidArgumentError>([&] {
              layer(Input({.shape = {3, 3, 1}, .dtype = "bool"}));
            }).find("Images of bool cannot be resized."),
            std::string::npos);
}

TEST(Resizing, TakesDictionaries) {
  const Resizing layer(2, 7);
  const Tensor images = Tensor::full({1, 3, 3, 1}, 1);
  using Tensors = std::map<std::string, Tensor>;
  const std::vector<Tensor> outputs = layer.call_many(Tensors{{"images", images}, {"labels", Tensor::full({1}, 1)}});
  ASSERT_EQ(outputs.size(), 2);
  EXPECT_EQ(outputs[0].to_vector(), layer(images).to_vector());
  EXPECT_EQ(outputs[1].to_vector(), (std::vector<double>{1}));
  EXPECT_EQ(layer.call_many(std::map<std::string, SymbolicTensor>{{"images", Input({.shape = {3, 3, 1}})}})[0].shape(),
            (Shape{-1, 2, 7, 1}));
}

}  // namespace
}  // namespace rhyton::layers
