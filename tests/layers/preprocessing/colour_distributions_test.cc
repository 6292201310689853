// What layers that change colours at random draw: numbers of fixed seeds, in their ranges.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/tests/layers/preprocessing/colour_layers.h>
#include <rhyton/tests/layers/regularization/noise.h>

namespace rhyton::layers {
namespace {

using test::mean_of;
using test::variance_of;

constexpr std::int64_t many = 6000;

/// Many images of one pixel.
Tensor pixels(double red, double green, double blue) {
  return broadcast_to(Tensor::from_data<float>(
                          {1, 1, 1, 3}, {static_cast<float>(red), static_cast<float>(green), static_cast<float>(blue)}),
                      {many, 1, 1, 3});
}

/// The first channel of each image.
std::vector<double> reds(const Tensor& images) { return slice_axis(images, 3, 0, 1).to_vector(); }

/// Expects numbers all of which are equally likely between the limits.
void expect_uniform(std::vector<double> values, double lower, double upper) {
  std::sort(values.begin(), values.end());
  EXPECT_GE(values.front(), lower - 1e-3);
  EXPECT_LE(values.back(), upper + 1e-3);
  // The distance of two distributions: Kolmogorov's bound for six thousand numbers.
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = (values[i] - lower) / (upper - lower);
    distance = std::max(distance, std::abs(expected - static_cast<double>(i) / static_cast<double>(values.size())));
  }
  EXPECT_LT(distance, 0.025);
}

double share_of(const std::vector<double>& values, double wanted) {
  return static_cast<double>(std::count(values.begin(), values.end(), wanted)) / static_cast<double>(values.size());
}

TEST(ColourDistributions, OfBrightness) {
  expect_uniform(reds(RandomBrightness(0.2, {.seed = 1})(pixels(100, 0, 0))), 100 - 51, 100 + 51);
  expect_uniform(reds(RandomBrightness({0.1, 0.4}, {.value_range = {0, 1}, .seed = 1})(pixels(0.5, 0, 0))), 0.6, 0.9);
}

TEST(ColourDistributions, OfContrast) {
  // Two pixels with the mean 100.
  const Tensor images =
      broadcast_to(Tensor::from_data<float>({1, 1, 2, 3}, {80, 80, 80, 120, 120, 120}), {many, 1, 2, 3});
  const Tensor result = RandomContrast({-0.2, 0.6}, {.seed = 1})(images);
  expect_uniform(reds(slice_axis(result, 2, 1, 2)), 100 + 20 * 1.2, 100 + 20 * 1.6);
}

TEST(ColourDistributions, OfHue) {
  // The hue of red moves towards yellow or magenta, by 60 degrees at most.
  const Tensor result = RandomHue(1.0 / 3, {.value_range = {0, 1}, .seed = 1})(pixels(1, 0, 0));
  const std::vector<double> green = slice_axis(result, 3, 1, 2).to_vector();
  const std::vector<double> blue = slice_axis(result, 3, 2, 3).to_vector();
  std::vector<double> turns;
  for (std::size_t i = 0; i < green.size(); ++i) turns.push_back(green[i] - blue[i]);
  expect_uniform(turns, -1, 1);
}

TEST(ColourDistributions, OfChoices) {
  EXPECT_NEAR(share_of(reds(RandomGrayscale({.factor = 0.3, .seed = 1})(pixels(200, 0, 0))), 200), 0.7, 0.02);
  // A probability that is drawn from [0, 1).
  EXPECT_NEAR(share_of(reds(RandomInvert({.seed = 1})(pixels(200, 0, 0))), 55), 0.5, 0.02);
  EXPECT_NEAR(share_of(reds(RandomInvert({.factor = {0.8, 0.8}, .seed = 1})(pixels(200, 0, 0))), 55), 0.8, 0.02);
  EXPECT_NEAR(
      share_of(reds(RandomGaussianBlur({.factor = {0.4, 0.4}, .sigma = {0.5, 0.5}, .seed = 1})(pixels(200, 0, 0))),
               200),
      0.6, 0.02);
}

TEST(ColourDistributions, OfBits) {
  const std::vector<double> values = reds(RandomPosterization({2, 5}, {.seed = 1})(pixels(255, 0, 0)));
  // Two, three and four bits of eight.
  for (const double value : {192.0, 224.0, 240.0}) EXPECT_NEAR(share_of(values, value), 1.0 / 3, 0.02) << value;
  EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), 3);
}

TEST(ColourDistributions, OfSharpness) {
  // The mean of a pixel without neighbours is 5/13 of it.
  expect_uniform(reds(RandomSharpness({0, 0.5}, {.seed = 1})(pixels(130, 0, 0))), 50, 130);
}

TEST(ColourDistributions, OfDegeneration) {
  const double grey = 100 * 0.2989;
  expect_uniform(reds(RandomColorDegeneration({0, 1}, {.seed = 1})(pixels(100, 0, 0))), grey, 100);
}

TEST(ColourDistributions, OfSolarization) {
  // Everything is above the threshold.
  expect_uniform(reds(Solarization({.addition_factor = {0, 0.2}, .seed = 1})(pixels(100, 0, 0))), 155 - 51, 155);
  // Values below the threshold stay.
  EXPECT_NEAR(share_of(reds(Solarization({.threshold_factor = 1, .seed = 1})(pixels(51, 0, 0))), 51), 0.8, 0.02);
}

/// 0 or 1 for each image.
Tensor coins() { return cast(test::random_tensor({many, 1, 1, 1}, 5) > 0, DType::float32); }

TEST(ColourDistributions, OfMixUp) {
  // Images of their numbers: the weights are those of the own image, where the other one is 0.
  const Tensor images = pixels(1, 0, 0) * coins();
  const std::vector<double> values = reds(MixUp({.alpha = 1, .seed = 1})(images));
  // Half of the images are mixed with one of the same value.
  EXPECT_NEAR(share_of(values, 0), 0.25, 0.03);
  EXPECT_NEAR(mean_of(values), 0.5, 0.02);
  std::vector<double> between;
  for (const double value : values) {
    if (value > 1e-6 && value < 1 - 1e-6) between.push_back(value);
  }
  // The beta distribution with the parameters 1 and 1.
  EXPECT_NEAR(static_cast<double>(between.size()) / many, 0.5, 0.03);
  EXPECT_NEAR(mean_of(between), 0.5, 0.02);
  EXPECT_NEAR(variance_of(between), 1.0 / 12, 0.01);
}

}  // namespace
}  // namespace rhyton::layers
