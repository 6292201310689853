// What the golden cases of RandomCrop do not show.

#include <set>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/preprocessing/random_crop.h>
#include <rhyton/tests/layers/preprocessing/random_images.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using test::same_images;

TEST(RandomCrop, CutsAllImagesAtTheSameRandomPlace) {
  const Tensor images = same_images(3, 6, 9, 2);
  const RandomCrop layer(4, 7, {.seed = 1});
  std::set<std::vector<double>> parts;
  std::set<std::vector<double>> possible;
  for (std::int64_t y = 0; y <= 2; ++y) {
    for (std::int64_t x = 0; x <= 2; ++x) possible.insert(slice(images, {0, y, x, 0}, {3, 4, 7, 2}).to_vector());
  }
  for (int call = 0; call < 120; ++call) parts.insert(layer(images).to_vector());
  EXPECT_EQ(parts, possible);
}

TEST(RandomCrop, CutsImagesWithTheChannelsInFront) {
  const Tensor images = same_images(2, 3, 6, 5);
  const RandomCrop layer(2, 2, {.seed = 1, .data_format = "channels_first"});
  EXPECT_EQ(layer(images).shape(), (Shape{2, 3, 2, 2}));
  EXPECT_EQ(layer(images.slice(0, 1).reshape({3, 6, 5})).shape(), (Shape{3, 2, 2}));
}

TEST(RandomCrop, ConfigHasASeed) {
  EXPECT_EQ(RandomCrop(4, 5, {.seed = 7, .name = "c"}).get_config().dump(),
            R"({"name": "c", "trainable": true, "dtype": "float32", "data_format": "channels_last", "height": 4, )"
            R"("width": 5, "seed": 7})");
  set_random_seed(3);
  const RandomCrop layer(4, 5);
  EXPECT_GE(layer.get_config()["seed"].as_int(), 1);
  EXPECT_EQ(RandomCrop::from_config(layer.get_config()).get_config(), layer.get_config());
}

TEST(RandomCrop, RefusesSizesThatCannotBe) {
  EXPECT_EQ(message_of<ValueError>([] { RandomCrop(-1, 4); }),
            "`height` and `width` must not be negative. Received: height=-1, width=4");
  EXPECT_EQ(RandomCrop(0, 2)(same_images(1, 4, 4)).shape(), (Shape{1, 0, 2, 1}));
  EXPECT_THROW(RandomCrop(0, 8)(same_images(1, 4, 4)), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
