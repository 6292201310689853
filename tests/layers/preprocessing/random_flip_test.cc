#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/layers/preprocessing/random_flip.h>
#include <rhyton/tests/layers/preprocessing/random_images.h>

namespace rhyton::layers {
namespace {

using test::same_images;

/// How many images of the batch are the first and the second one. Expects each of them to be one of both.
std::array<int, 2> counts(const Tensor& images, const Tensor& first, const Tensor& second) {
  std::array<int, 2> found = {0, 0};
  for (std::int64_t i = 0; i < images.shape()[0]; ++i) {
    const std::vector<double> pixels = images.slice(i, i + 1).to_vector();
    if (pixels == first.to_vector()) ++found[0];
    if (pixels == second.to_vector()) ++found[1];
  }
  EXPECT_EQ(found[0] + found[1], images.shape()[0]);
  return found;
}

TEST(RandomFlip, FlipsHalfOfTheImages) {
  const Tensor images = same_images(400, 3, 4, 2);
  const Tensor image = images.slice(0, 1);
  const std::vector<std::pair<std::string, Tensor>> flipped = {{"horizontal", flip(image, 2)},
                                                               {"vertical", flip(image, 1)},
                                                               {"horizontal_and_vertical", flip(flip(image, 1), 2)}};
  for (const auto& [mode, expected] : flipped) {
    const auto found = counts(RandomFlip(mode, {.seed = 5})(images), image, expected);
    // Four deviations of the binomial distribution.
    EXPECT_NEAR(found[1], 200, 40) << mode;
  }
}

TEST(RandomFlip, KnowsWhereTheChannelsAre) {
  const Tensor images = same_images(50, 2, 3, 4);
  const Tensor image = images.slice(0, 1);
  const RandomFlip layer("vertical", {.seed = 5, .data_format = "channels_first"});
  EXPECT_GT(counts(layer(images), image, flip(image, 2))[1], 10);
}

TEST(RandomFlip, AnUnknownModeFlipsNothing) {
  const Tensor images = same_images(20, 3, 3);
  EXPECT_EQ(RandomFlip("diagonal")(images).to_vector(), images.to_vector());
  EXPECT_THROW(RandomFlip({.data_format = "foo"}), ValueError);
}

TEST(RandomFlip, ConfigIsThatOfKeras) {
  EXPECT_EQ(RandomFlip("horizontal", {.seed = 3, .name = "f"}).get_config().dump(),
            R"({"name": "f", "trainable": true, "dtype": "float32", "seed": 3, "mode": "horizontal"})");
  EXPECT_EQ(RandomFlip({.data_format = "channels_last"}).get_config()["data_format"].as_string(), "channels_last");
  EXPECT_EQ(RandomFlip({.bounding_box_format = "xyxy"}).get_config()["bounding_box_format"].as_string(), "xyxy");
}

}  // namespace
}  // namespace rhyton::layers
