// What the golden cases of RandomRotation, RandomZoom, RandomTranslation, RandomShear and RandomPerspective do not show:
// the distributions of their numbers, and errors.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/image/geometric_transforms.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/preprocessing/random_perspective.h>
#include <rhyton/layers/preprocessing/random_rotation.h>
#include <rhyton/layers/preprocessing/random_shear.h>
#include <rhyton/layers/preprocessing/random_translation.h>
#include <rhyton/layers/preprocessing/random_zoom.h>
#include <rhyton/tests/layers/preprocessing/random_images.h>
#include <rhyton/tests/layers/regularization/noise.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::mean_of;
using test::message_of;
using test::same_images;
using test::variance_of;

constexpr std::int64_t images_of_a_batch = 500;

/// Images whose two channels are the coordinates x and y.
Tensor coordinates(std::int64_t size) {
  const Tensor numbers = range(size, DType::float32);
  const Tensor x = broadcast_to(reshape(numbers, {1, 1, size, 1}), {images_of_a_batch, size, size, 1});
  const Tensor y = broadcast_to(reshape(numbers, {1, size, 1, 1}), {images_of_a_batch, size, size, 1});
  return ops::concatenate({x, y}, 3);
}

/// The number of one channel at a place of each image.
std::vector<double> at(const Tensor& images, std::int64_t y, std::int64_t x, std::int64_t channel) {
  return slice(images, {0, y, x, channel}, {images.shape()[0], 1, 1, 1}).to_vector();
}

/// Numbers that are evenly distributed between these limits, within four deviations of their mean.
void expect_uniform(const std::vector<double>& numbers, double lower, double upper) {
  const double width = upper - lower;
  EXPECT_GE(*std::min_element(numbers.begin(), numbers.end()), lower - 1e-3);
  EXPECT_LE(*std::max_element(numbers.begin(), numbers.end()), upper + 1e-3);
  EXPECT_NEAR(mean_of(numbers), (lower + upper) / 2, 4 * width / std::sqrt(12.0 * static_cast<double>(numbers.size())));
  EXPECT_NEAR(variance_of(numbers), width * width / 12, 0.15 * width * width / 12);
}

TEST(RandomRotation, TurnsByAnglesOfItsRange) {
  const RandomRotation layer({-0.05, 0.1}, {.fill_mode = "nearest", .seed = 3});
  const Tensor turned = layer(coordinates(33));
  // Right of the middle by 8 pixels: the place that was read.
  const std::vector<double> x = at(turned, 16, 24, 0);
  const std::vector<double> y = at(turned, 16, 24, 1);
  std::vector<double> turns;
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(std::hypot(x[i] - 16, y[i] - 16), 8, 1e-3);
    turns.push_back(std::atan2(y[i] - 16, x[i] - 16) / (2 * std::numbers::pi));
  }
  expect_uniform(turns, -0.05, 0.1);
}

TEST(RandomZoom, ZoomsBothAxesByNumbersOfTheirOwn) {
  const RandomZoom layer({-0.3, 0.1}, {.width_factor = 0.2, .fill_mode = "nearest", .seed = 3});
  const Tensor zoomed = layer(coordinates(33));
  std::vector<double> heights;
  std::vector<double> widths;
  for (const double y : at(zoomed, 24, 16, 1)) heights.push_back((y - 16) / 8 - 1);
  for (const double x : at(zoomed, 16, 24, 0)) widths.push_back((x - 16) / 8 - 1);
  expect_uniform(heights, -0.3, 0.1);
  expect_uniform(widths, -0.2, 0.2);
  double product = 0;
  for (std::size_t i = 0; i < heights.size(); ++i) product += (heights[i] + 0.1) * widths[i];
  EXPECT_LT(std::abs(product / images_of_a_batch / std::sqrt(variance_of(heights) * variance_of(widths))), 0.2);
}

TEST(RandomZoom, KeepsProportionsWithoutAWidthFactor) {
  const Tensor zoomed = RandomZoom({-0.3, 0.1}, {.fill_mode = "nearest", .seed = 3})(coordinates(33));
  const std::vector<double> y = at(zoomed, 24, 16, 1);
  const std::vector<double> x = at(zoomed, 16, 24, 0);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-4);
}

TEST(RandomTranslation, MovesByPartsOfTheSize) {
  const Tensor moved = RandomTranslation(0.25, {0.0, 0.125}, {.fill_mode = "nearest", .seed = 3})(coordinates(32));
  std::vector<double> down;
  std::vector<double> right;
  for (const double y : at(moved, 16, 16, 1)) down.push_back(16 - y);
  for (const double x : at(moved, 16, 16, 0)) right.push_back(16 - x);
  expect_uniform(down, -8, 8);
  expect_uniform(right, 0, 4);
}

TEST(RandomShear, ShearsInBothDirections) {
  const Tensor images = same_images(60, 6, 7);
  const auto sheared = [&](float sign) {
    const Tensor transform = Tensor::from_data<float>({8}, {1, sign * 0.25F, 0, sign * 0.5F, 1, 0, 0, 0});
    return image::affine_transform(images.slice(0, 1), transform, {.fill_mode = "wrap"}).to_vector();
  };
  const Tensor result =
      RandomShear({.x_factor = {0.25, 0.25}, .y_factor = {0.5, 0.5}, .fill_mode = "wrap", .seed = 3})(images);
  int forward = 0;
  for (std::int64_t i = 0; i < 60; ++i) {
    const std::vector<double> pixels = result.slice(i, i + 1).to_vector();
    const bool is_forward = pixels == sheared(1);
    EXPECT_TRUE(is_forward || pixels == sheared(-1));
    if (is_forward) ++forward;
  }
  EXPECT_NEAR(forward, 30, 16);
}

TEST(RandomShear, TakesFactorsOfItsRange) {
  const Tensor result = RandomShear({.x_factor = 0.25, .fill_mode = "nearest", .seed = 3})(coordinates(32));
  std::vector<double> moved;
  for (const double x : at(result, 16, 16, 0)) moved.push_back(x - 16);
  expect_uniform(moved, -4, 4);
  for (const double y : at(result, 16, 16, 1)) EXPECT_EQ(y, 16);
}

TEST(RandomPerspective, MovesThreeCornersAndKeepsOne) {
  const Tensor images = coordinates(9);
  const Tensor result = RandomPerspective({.scale = 0.5, .fill_value = -1.0, .seed = 3})(images);
  for (const std::int64_t channel : {0, 1}) {
    for (const double first : at(result, 0, 0, channel)) EXPECT_NEAR(first, 0, 1e-4);
  }
  // The end of the first row moves along the row only, by up to a quarter of its length.
  std::vector<double> right;
  for (const double x : at(result, 0, 4, 0)) right.push_back(x);
  EXPECT_GT(variance_of(right), 0.01);
  for (const double y : at(result, 0, 4, 1)) EXPECT_NEAR(y, 0, 1e-3);
}

TEST(RandomPerspective, ChangesAsManyImagesAsItsFactorSays) {
  const Tensor images = same_images(images_of_a_batch, 5, 6);
  const Tensor result = RandomPerspective({.factor = {0.25, 0.35}, .seed = 3})(images);
  int changed = 0;
  for (std::int64_t i = 0; i < images_of_a_batch; ++i) {
    if (result.slice(i, i + 1).to_vector() != images.slice(0, 1).to_vector()) ++changed;
  }
  EXPECT_NEAR(changed, 150, 45);
}

TEST(RandomTransforms, RefuseWhatKerasRefuses) {
  const std::string range = "The `factor` argument should be a number (or a list of two numbers) in the range ";
  EXPECT_EQ(message_of<ValueError>([] { RandomRotation(1.5); }), range + "[-1, 1]. Received: factor=1.5");
  EXPECT_EQ(message_of<ValueError>([] {
              RandomRotation({0.5, 0.1, 0.2});
            }),
            range + "[-1, 1]. Received: factor=(0.5, 0.1, 0.2)");
  EXPECT_EQ(message_of<ValueError>([] { RandomRotation({1.5, 2.5}); }), range + "[-1, 1]. Received: factor=(1.5, 2.5)");
  EXPECT_EQ(message_of<ValueError>([] { RandomTranslation(0.1, -1.5); }),
            range + "[-1.0, 1.0]. Received: input_number=-1.5");
  EXPECT_EQ(message_of<ValueError>([] { RandomTranslation(Factor{0.5}, 0.1); }),
            range + "[-1.0, 1.0]. Received: height_factor=(0.5,)");
  EXPECT_EQ(message_of<ValueError>([] { RandomShear({.y_factor = -0.25}); }),
            range + "[0, 1.0]. Received: input_number=-0.25");
  EXPECT_EQ(
      message_of<ValueError>([] {
        RandomZoom({-1.0, 0.5});
      }),
      "The `height_factor` and `width_factor` arguments should be a number (or a list of two numbers) in the range "
      "(-1.0, 1.0]. Received: input_number=-1.0");
  EXPECT_EQ(message_of<ValueError>([] { RandomPerspective({.scale = 1.5}); }),
            "The `scale` argument should be a number in the range [0,1]. Received: scale=1.5");
  EXPECT_EQ(message_of<ValueError>([] { RandomPerspective({.factor = -0.5}); }),
            range + "[0, 1]. Received: factor=-0.5");
  EXPECT_EQ(message_of<NotImplementedError>([] { RandomRotation(0.1, {.fill_mode = "mirror"}); }),
            "Unknown `fill_mode` mirror. Expected of one ('reflect', 'wrap', 'constant', 'nearest').");
  EXPECT_EQ(message_of<NotImplementedError>([] { RandomZoom(0.1, {.interpolation = "bicubic"}); }),
            "Unknown `interpolation` bicubic. Expected of one ('nearest', 'bilinear').");
  EXPECT_THROW(RandomPerspective({.interpolation = "bicubic"}), NotImplementedError);
}

TEST(RandomTransforms, NeedPixels) {
  for (const Layer& layer : test::random_image_layers()) {
    const std::string name = layer.class_name();
    if (name == "RandomFlip" || name == "RandomErasing" || name == "RandomPerspective") continue;
    EXPECT_THROW(layer(Tensor::zeros({2, 0, 5, 1})), InvalidArgumentError) << name;
    EXPECT_EQ(layer(Tensor::zeros({2, 0, 5, 1}), {.training = false}).shape(), (Shape{2, 0, 5, 1})) << name;
  }
}

TEST(RandomShear, ReadsTheRangeThatKerasWritesForANumber) {
  io::Json config = RandomShear({.x_factor = 0.25, .y_factor = {0.0, 0.5}}).get_config();
  EXPECT_EQ(config["x_factor"].dump(), "0.25");
  config["x_factor"] = io::Json::array({-0.25, 0.25});
  EXPECT_EQ(RandomShear::from_config(config).get_config()["x_factor"].dump(), "0.25");
  EXPECT_EQ(RandomShear::from_config(config).get_config()["y_factor"].dump(), "[0, 0.5]");
  EXPECT_THROW(RandomShear({.x_factor = {-0.25, 0.25}}), ValueError);
}

TEST(RandomRotation, ReadsFilesOfOlderVersions) {
  const io::Json config = io::Json::parse(
      R"({"name": "r", "trainable": true, "dtype": "float32", "factor": 0.25, "value_range": [0, 255], "seed": null,)"
      R"( "fill_mode": "reflect", "fill_value": 0.0, "interpolation": "bilinear"})");
  EXPECT_EQ(RandomRotation::from_config(config).get_config()["factor"].dump(), "[-0.25, 0.25]");
}

}  // namespace
}  // namespace rhyton::layers
