// RandomErasing and RandomElasticTransform: what their golden cases do not show.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/preprocessing/random_elastic_transform.h>
#include <rhyton/layers/preprocessing/random_erasing.h>
#include <rhyton/tests/layers/preprocessing/random_images.h>
#include <rhyton/tests/layers/regularization/noise.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using test::same_images;

constexpr std::int64_t erased_images = 300;

/// The sums of each image, [erased_images].
std::vector<double> sums(const Tensor& images) { return sum(images, {1, 2, 3}).to_vector(); }

TEST(RandomErasing, ErasesARectangleOfTheSizeInItsRange) {
  // A quarter of each length: 4 of 16 rows, 5 of 20 columns.
  const RandomErasing layer(
      {.factor = {1.0, 1.0}, .scale = {0.0625, 0.0625}, .fill_value = 1.0, .value_range = {0, 1}, .seed = 3});
  const Tensor erased = layer(Tensor::zeros({erased_images, 16, 20, 1}));
  for (std::int64_t i = 0; i < 20; ++i) {
    const Tensor one = erased.slice(i, i + 1);
    EXPECT_EQ(sum(max(one, {2})).to_vector()[0], 4);
    EXPECT_EQ(sum(max(one, {1})).to_vector()[0], 5);
    EXPECT_EQ(sum(one).to_vector()[0], 20);
  }
  // Each place in the middle is in 20 of the 208 rectangles, and so in one of 300.
  EXPECT_EQ(min(max(slice(erased, {0, 4, 5, 0}, {erased_images, 8, 10, 1}), {0})).to_vector()[0], 1);
}

TEST(RandomErasing, ErasesAsManyImagesAsItsFactorSays) {
  const RandomErasing layer({.factor = {0.3, 0.3}, .scale = {0.5, 0.5}, .fill_value = 1.0, .seed = 3});
  const std::vector<double> erased = sums(layer(Tensor::zeros({erased_images, 6, 6, 2})));
  EXPECT_NEAR(static_cast<double>(std::count_if(erased.begin(), erased.end(), [](double s) { return s > 0; })),
              0.3 * erased_images, 4 * std::sqrt(erased_images * 0.3 * 0.7));
}

TEST(RandomErasing, FillsWithLimitedNoise) {
  const RandomErasing layer({.factor = {1.0, 1.0}, .scale = {1.0, 1.0}, .value_range = {-1, 2}, .seed = 3});
  const std::vector<double> noise = layer(Tensor::zeros({20, 12, 12, 3})).to_vector();
  EXPECT_EQ(*std::min_element(noise.begin(), noise.end()), -1);
  EXPECT_EQ(*std::max_element(noise.begin(), noise.end()), 2);
  // A normal number of deviation 2 is below -1, and above 2, with these probabilities.
  const auto part = [&](double value) {
    return static_cast<double>(std::count(noise.begin(), noise.end(), value)) / static_cast<double>(noise.size());
  };
  EXPECT_NEAR(part(-1), 0.3085, 0.03);
  EXPECT_NEAR(part(2), 0.1587, 0.03);
}

TEST(RandomErasing, RefusesWhatKerasRefuses) {
  EXPECT_EQ(message_of<ValueError>([] { RandomErasing({.scale = 1.5}); }),
            "The `scale` argument should be a number (or a list of two numbers) in the range [0, 1]. Received: "
            "factor=1.5");
  EXPECT_THROW(RandomErasing({.fill_value = PerChannel{1, 2}})(same_images(1, 4, 4, 3)), ValueError);
  EXPECT_THROW(RandomErasing({.fill_value = PerChannel{1, 2, 3}})(same_images(1, 4, 4, 1)), InvalidArgumentError);
  EXPECT_THROW(RandomErasing({.value_range = {0, 1, 2}}), ValueError);
}

/// Images whose numbers are the coordinates x.
Tensor slope(std::int64_t size) {
  return broadcast_to(reshape(range(size, DType::float32), {1, 1, size, 1}), {erased_images, size, size, 1});
}

TEST(RandomElasticTransform, MovesPixelsByNoiseOfTheStrength) {
  // sigma = 0.05 * 20 * 0.5 is below 1: the window has one pixel, the distances are 0.1 * 20 * 0.5 * sigma times noise.
  const RandomElasticTransform layer({.factor = {1.0, 1.0}, .scale = {0.5, 0.5}, .seed = 3});
  const Tensor moved = slice(layer(slope(20)) - slope(20), {0, 8, 8, 0}, {erased_images, 4, 4, 1});
  EXPECT_NEAR(test::variance_of(moved.to_vector()), 0.25, 0.02);
}

TEST(RandomElasticTransform, SmoothsTheDistances) {
  // sigma is 2.
  const RandomElasticTransform layer({.factor = {1.0, 1.0}, .scale = {1.0, 1.0}, .fill_mode = "nearest", .seed = 3});
  const Tensor moved = layer(slope(40)) - slope(40);
  const std::vector<double> here = slice(moved, {0, 20, 20, 0}, {erased_images, 1, 1, 1}).to_vector();
  const std::vector<double> beside = slice(moved, {0, 20, 21, 0}, {erased_images, 1, 1, 1}).to_vector();
  // alpha = 4 times the deviation of smoothed noise, which is 1 / (2 sqrt(pi)).
  EXPECT_NEAR(std::sqrt(test::variance_of(here)), 1.128, 0.2);
  double product = 0;
  for (std::size_t i = 0; i < here.size(); ++i) product += here[i] * beside[i];
  // Of Gaussian weights of deviation 2: exp(-1 / 16).
  EXPECT_NEAR(product / erased_images / test::variance_of(here), 0.94, 0.05);
}

TEST(RandomElasticTransform, RefusesWhatKerasRefuses) {
  EXPECT_THROW(RandomElasticTransform({.fill_mode = "foo"}), NotImplementedError);
  EXPECT_THROW(RandomElasticTransform({.interpolation = "foo"}), NotImplementedError);
  EXPECT_THROW(RandomElasticTransform({.fill_mode = "mirror"})(same_images(1, 4, 4)), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
