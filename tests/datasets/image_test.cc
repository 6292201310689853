// Reading and writing of images, compared with Keras and Pillow.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/image.h>
#include <rhyton/datasets/image_channels.h>
#include <rhyton/framework/io/image/image.h>
#include <rhyton/tests/datasets/golden_images.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::datasets {
namespace {

using test::message_of;
using ::testing::HasSubstr;

/// The maximum difference of two images of one shape, in levels.
int distance(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape().to_string(), b.shape().to_string());
  if (a.shape() != b.shape()) return 256;
  int greatest = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    greatest = std::max(greatest, std::abs(a.data<std::uint8_t>()[i] - b.data<std::uint8_t>()[i]));
  }
  return greatest;
}

TEST(LoadImg, GivesThePixelsOfPillow) {
  int cases = 0;
  for (const io::Json& golden_case : golden_images().cases()) {
    if (golden_case["kind"].as_string() != "load_img") continue;
    SCOPED_TRACE(golden_case["name"].as_string());
    LoadImgOptions options = {.color_mode = golden_case["color_mode"].as_string()};
    if (golden_case.contains("target_size")) {
      options.target_size = {golden_case["target_size"][0].as_int(), golden_case["target_size"][1].as_int()};
      options.interpolation = golden_case["interpolation"].as_string();
      options.keep_aspect_ratio = golden_case["keep_aspect_ratio"].as_bool();
    }
    const std::string file = golden_case["file"].as_string();
    // Bit-identical except for JPEG: decoders may round and upsample chroma differently.
    const int allowed = !file.ends_with(".jpg") ? 0 : file.ends_with("subsampled.jpg") ? 8 : 3;
    EXPECT_LE(distance(load_img(golden_images_folder() + file, options), golden_images().array(golden_case, "pixels")),
              allowed);
    ++cases;
  }
  EXPECT_GE(cases, 90);
}

TEST(LoadImg, RefusesOptionsInKerassWords) {
  const std::string file = golden_images_folder() + "formats/rgb.png";
  EXPECT_EQ(message_of<ValueError>([&] { load_img(file, {.color_mode = "cmyk"}); }),
            "color_mode must be \"grayscale\", \"rgb\", or \"rgba\"");
  EXPECT_EQ(message_of<ValueError>([&] {
              load_img(file, {.target_size = {4, 4}, .interpolation = "sharp"});
            }),
            "Invalid interpolation method sharp specified. Supported methods are nearest, bilinear, bicubic, hamming, "
            "box, lanczos");
  EXPECT_THROW(load_img(file, {.target_size = {0, 4}}), ValueError);
  EXPECT_THROW(load_img(file, {.target_size = -3}), ValueError);
  EXPECT_THROW(load_img("nowhere.png"), NotFoundError);
}

TEST(ImgToArray, MakesFloatsWithChannels) {
  const Tensor image = Tensor::from_data<std::uint8_t>({1, 2}, {0, 255});
  const Tensor array = img_to_array(image);
  EXPECT_EQ(array.shape(), Shape({1, 2, 1}));
  EXPECT_EQ(array.dtype(), DType::float32);
  EXPECT_EQ(array.to_vector(), (std::vector<double>{0, 255}));
  EXPECT_EQ(message_of<ValueError>([] { img_to_array(Tensor::zeros({2})); }), "Unsupported image shape: (2,)");
}

TEST(ArrayToImg, ScalesAsKeras) {
  for (const io::Json& golden_case : golden_images().cases()) {
    if (golden_case["kind"].as_string() != "array_to_img") continue;
    SCOPED_TRACE(golden_case["name"].as_string());
    const Tensor image =
        array_to_img(golden_images().array(golden_case, "x"), {.scale = golden_case["scale"].as_bool()});
    EXPECT_EQ(distance(image, golden_images().array(golden_case, "pixels")), 0);
  }
}

TEST(ArrayToImg, RefusesWhatIsNoImage) {
  EXPECT_EQ(message_of<ValueError>([] {
              array_to_img(Tensor::zeros({2, 2}));
            }),
            "Expected image array to have rank 3 (single image). Got array with shape: (2, 2)");
  EXPECT_EQ(message_of<ValueError>([] { array_to_img(Tensor::zeros({2, 2, 5})); }), "Unsupported channel number: 5");
  EXPECT_THROW(array_to_img(Tensor::zeros({0, 2, 3})), ValueError);
  EXPECT_THAT(message_of<ValueError>([] {
                array_to_img(Tensor::full({1, 1, 1}, 256), {.scale = false});
              }),
              HasSubstr("from 0 to 255. Received 256"));
  EXPECT_THROW(array_to_img(Tensor::full({1, 1, 1}, std::numeric_limits<double>::quiet_NaN())), ValueError);
}

TEST(SaveImg, WritesWhatLoadImgReads) {
  const test::TemporaryFolder temporary;
  const Tensor image = load_img(golden_images_folder() + "formats/rgba.png", {.color_mode = "rgba"});
  save_img(temporary / "a.png", img_to_array(image), {.scale = false});
  EXPECT_EQ(distance(load_img(temporary / "a.png", {.color_mode = "rgba"}), image), 0);

  const Tensor rgb = with_channels(image, 3);
  save_img(temporary / "b.bmp", img_to_array(rgb), {.scale = false});
  EXPECT_EQ(distance(load_img(temporary / "b.bmp"), rgb), 0);
  // The format can be given as an option.
  save_img(temporary / "c", img_to_array(image), {.file_format = "JPG", .scale = false});
  EXPECT_EQ(io::read_image(temporary / "c").shape(), Shape({19, 26, 3}));
  EXPECT_THAT(message_of<ValueError>([&] { save_img(temporary / "d.tiff", img_to_array(rgb)); }), HasSubstr("d.tiff"));
  EXPECT_THROW(save_img(temporary / "no" / "e.png", img_to_array(rgb)), IOError);
}

}  // namespace
}  // namespace rhyton::datasets
