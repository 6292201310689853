// Functions of keras.ops.image against real Keras, with gradients and what is refused (tests/golden/make_image_ops.py).

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/image/colour_spaces.h>
#include <rhyton/framework/ops/image/cropping.h>
#include <rhyton/framework/ops/image/filters.h>
#include <rhyton/framework/ops/image/geometric_transforms.h>
#include <rhyton/framework/ops/image/interpolation_weights.h>
#include <rhyton/framework/ops/image/patches.h>
#include <rhyton/framework/ops/image/resizing.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/seeded_random.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/ops/golden_calls.h>
#include <rhyton/tests/framework/ops/golden_words.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

using golden::Call;
using golden::Functions;
using golden::Words;
using test::message_of;
using Tensors = std::vector<Tensor>;

Tensors resized(const Call& c) {
  const Words words(c);
  image::ResizeOptions options;
  words.read("interpolation", options.interpolation);
  words.read("antialias", options.antialias);
  words.read("crop_to_aspect_ratio", options.crop_to_aspect_ratio);
  words.read("pad_to_aspect_ratio", options.pad_to_aspect_ratio);
  words.read("fill_mode", options.fill_mode);
  words.read("fill_value", options.fill_value);
  words.read("data_format", options.data_format);
  return {image::resize(c.tensor(0), {c.integers(1).at(0), c.integers(1).at(1)}, options)};
}

Tensors scaled(const Call& c) {
  Shape shape;
  for (const std::int64_t length : c.integers(3)) shape.push_back(length);
  return {image::scale_and_translate(c.tensor(0), shape, c.tensor(1), c.tensor(2), c.axes(4), c.word(5),
                                     c.word(6) == "True")};
}

TEST(ImageOps, Resizing) {
  golden::compare("image_resizing", {{"resize", &resized}, {"scale_and_translate", &scaled}});
}

Tensors affine(const Call& c) {
  const Words words(c);
  image::AffineTransformOptions options;
  words.read("interpolation", options.interpolation);
  words.read("fill_mode", options.fill_mode);
  words.read("fill_value", options.fill_value);
  words.read("data_format", options.data_format);
  return {image::affine_transform(c.tensor(0), c.tensor(1), options)};
}

Tensors perspective(const Call& c) {
  const Words words(c);
  image::PerspectiveTransformOptions options;
  words.read("interpolation", options.interpolation);
  words.read("fill_value", options.fill_value);
  words.read("data_format", options.data_format);
  return {image::perspective_transform(c.tensor(0), c.tensor(1), c.tensor(2), options)};
}

Tensors mapped(const Call& c) {
  const int order = static_cast<int>(c.integer(2));
  return {image::map_coordinates(c.tensor(0), c.tensor(1), order, c.word(3), std::stod(c.word(4)))};
}

TEST(ImageOps, Transforms) {
  golden::compare(
      "image_transforms",
      {{"affine_transform", &affine}, {"perspective_transform", &perspective}, {"map_coordinates", &mapped}});
}

Tensors cropped(const Call& c) {
  const Words words(c);
  image::CropImagesOptions options;
  words.read("top_cropping", options.top_cropping);
  words.read("left_cropping", options.left_cropping);
  words.read("bottom_cropping", options.bottom_cropping);
  words.read("right_cropping", options.right_cropping);
  words.read("target_height", options.target_height);
  words.read("target_width", options.target_width);
  words.read("data_format", options.data_format);
  return {image::crop_images(c.tensor(0), options)};
}

Tensors padded(const Call& c) {
  const Words words(c);
  image::PadImagesOptions options;
  words.read("top_padding", options.top_padding);
  words.read("left_padding", options.left_padding);
  words.read("bottom_padding", options.bottom_padding);
  words.read("right_padding", options.right_padding);
  words.read("target_height", options.target_height);
  words.read("target_width", options.target_width);
  words.read("data_format", options.data_format);
  return {image::pad_images(c.tensor(0), options)};
}

image::ExtractPatchesOptions patch_options(const Call& c) {
  const Words words(c);
  image::ExtractPatchesOptions options;
  words.read("strides", options.strides);
  words.read("dilation_rate", options.dilation_rate);
  words.read("padding", options.padding);
  words.read("data_format", options.data_format);
  return options;
}

Tensors patches(const Call& c) {
  return {c.is_list(1) ? image::extract_patches(c.tensor(0), c.integers(1), patch_options(c))
                       : image::extract_patches(c.tensor(0), c.integer(1), patch_options(c))};
}

Tensors patches_3d(const Call& c) {
  return {c.is_list(1) ? image::extract_patches_3d(c.tensor(0), c.integers(1), patch_options(c))
                       : image::extract_patches_3d(c.tensor(0), c.integer(1), patch_options(c))};
}

std::string data_format(const Call& c) {
  std::string format;
  Words(c).read("data_format", format);
  return format;
}

std::function<Tensors(const Call&)> of_format(Tensor (*f)(const Tensor&, const std::string&)) {
  return [f](const Call& c) { return Tensors{f(c.tensor(0), data_format(c))}; };
}

Tensors blurred(const Call& c) {
  const Words words(c);
  image::GaussianBlurOptions options;
  words.read("kernel_size", options.kernel_size);
  words.read("sigma", options.sigma);
  words.read("data_format", options.data_format);
  return {image::gaussian_blur(c.tensor(0), options)};
}

Tensors similarity(const Call& c) {
  const Words words(c);
  image::SsimOptions options;
  words.read("max_val", options.max_val);
  words.read("filter_size", options.filter_size);
  words.read("filter_sigma", options.filter_sigma);
  words.read("k1", options.k1);
  words.read("k2", options.k2);
  words.read("data_format", options.data_format);
  return {image::ssim(c.tensor(0), c.tensor(1), options)};
}

TEST(ImageOps, BordersPatchesColoursAndFilters) {
  const Functions functions = {
      {"crop_images", &cropped},
      {"pad_images", &padded},
      {"extract_patches", &patches},
      {"extract_patches_3d", &patches_3d},
      {"rgb_to_grayscale", of_format(&image::rgb_to_grayscale)},
      {"rgb_to_hsv", of_format(&image::rgb_to_hsv)},
      {"hsv_to_rgb", of_format(&image::hsv_to_rgb)},
      {"gaussian_blur", &blurred},
      {"sobel_edges", of_format(&image::sobel_edges)},
      {"ssim", &similarity},
  };
  golden::compare("image", functions);
}

TEST(ImageOps, ErrorsAreThoseOfKeras) {
  const Tensor x = Tensor::zeros({4, 3, 2});
  EXPECT_EQ(message_of<ValueError>([&] {
              image::resize(x, {0, 3});
            }),
            "`size` must have positive height and width. Received: size=(0, 3)");
  EXPECT_EQ(message_of<ValueError>([&] {
              image::resize(x, {2, 2}, {.interpolation = "foo"});
            }),
            "Invalid value for argument `interpolation`. Expected of one ('bilinear', 'nearest', 'lanczos3', "
            "'lanczos5', 'bicubic', 'area'). Received: interpolation=foo");
  EXPECT_EQ(message_of<ValueError>([&] { image::pad_images(x, {.top_padding = 1, .left_padding = 2}); }),
            "Must specify exactly two of top_padding, bottom_padding, target_height. Received: top_padding=1, "
            "bottom_padding=None, target_height=None");
  EXPECT_EQ(message_of<ValueError>([&] {
              image::crop_images(x, {.top_cropping = 1, .left_cropping = 0, .bottom_cropping = 4, .target_width = 1});
            }),
            "target_height must be >= 0. Received: target_height=-1");
  EXPECT_EQ(message_of<ValueError>([&] {
              image::extract_patches(x, {2, 2, 2, 2});
            }),
            "Invalid `size` argument. Expected a tuple of length 2 or 3. Received: size=(2, 2, 2, 2) with length 4");
  EXPECT_EQ(message_of<ValueError>([&] { image::extract_patches(x, 2, {.strides = {2}, .dilation_rate = {2}}); }),
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=[2 2] and "
            "dilation_rate=[2 2]");
  EXPECT_EQ(message_of<ValueError>([&] { image::rgb_to_grayscale(x); }),
            "Invalid channel size: expected 3 (RGB) or 1 (Grayscale). Received input with shape: "
            "images.shape=(4, 3, 2)");
  EXPECT_EQ(message_of<ValueError>([] {
              image::rgb_to_hsv(Tensor::zeros({2, 2, 3}, DType::uint8));
            }),
            "Invalid images dtype: expected float dtype. Received: images.dtype=uint8");
  EXPECT_EQ(message_of<ValueError>([&] { image::affine_transform(x, Tensor::zeros({8}), {.fill_mode = "mirror"}); }),
            "Invalid value for argument `fill_mode`. Expected of one ('constant', 'nearest', 'wrap', 'reflect'). "
            "Received: fill_mode=mirror");
  EXPECT_EQ(message_of<ValueError>([&] {
              image::map_coordinates(x, Tensor::zeros({2, 5}), 1);
            }),
            "First dim of `coordinates` must be the same as the rank of `inputs`. Received inputs with shape: "
            "(4, 3, 2) and coordinate leading dim of 2");
  EXPECT_THROW(image::map_coordinates(x, Tensor::zeros({3, 5}), 2), NotImplementedError);
  EXPECT_EQ(message_of<ValueError>([&] { image::elastic_transform(x, {.interpolation = "foo"}); }),
            "Invalid value for argument `interpolation`. Expected of one ('nearest', 'bilinear'). Received: "
            "interpolation=foo");
}

// TensorFlow returns memory that it has not written where there is no patch.
TEST(ImageOps, PatchesLargerThanTheImage) {
  const Tensor x = Tensor::zeros({4, 2, 3});
  EXPECT_EQ(image::extract_patches(x, 5).shape(), (Shape{0, 0, 75}));
  EXPECT_THROW(image::extract_patches(x, 5, {.strides = {1}}), ValueError);
  EXPECT_THROW(image::extract_patches(x, std::int64_t{1} << 40), ValueError);
}

TEST(ImageOps, EmptyWindowsAreRefused) {
  const Tensor x = Tensor::zeros({4, 4, 1});
  EXPECT_THROW(image::gaussian_blur(x, {.kernel_size = {0, 3}}), InvalidArgumentError);
  EXPECT_THROW(image::gaussian_blur(x, {.kernel_size = {3, -1}}), InvalidArgumentError);
  EXPECT_THROW(image::ssim(x, x, {.filter_size = 0}), InvalidArgumentError);
  EXPECT_EQ(image::gaussian_blur(Tensor::zeros({4, 4, 0})).shape(), (Shape{4, 4, 0}));
  EXPECT_EQ(image::sobel_edges(Tensor::zeros({1, 4, 4, 0})).shape(), (Shape{1, 4, 4, 0, 2}));
}

TEST(ImageOps, OptionsThatOverflowAreRefused) {
  const Tensor x = Tensor::zeros({4, 3, 1});
  constexpr std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(
      image::pad_images(x, {.top_padding = maximum, .left_padding = 0, .bottom_padding = 1, .right_padding = 0}),
      ValueError);
  EXPECT_THROW(
      image::pad_images(x, {.left_padding = 0, .bottom_padding = maximum, .right_padding = 0, .target_height = 0}),
      ValueError);
  EXPECT_THROW(image::crop_images(
                   x, {.top_cropping = maximum, .left_cropping = 0, .bottom_cropping = maximum, .right_cropping = 0}),
               ValueError);
  EXPECT_THROW(image::resize(x, {maximum, 2}), ValueError);
  EXPECT_THROW(image::resize(x, {maximum, 2}, {.pad_to_aspect_ratio = true}), ValueError);
}

TEST(ImageOps, CoordinatesThatAreNoNumbersDoNotCrash) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = Tensor::full({4, 3}, 2.0);
  for (const char* mode : {"constant", "nearest", "wrap", "mirror", "reflect"}) {
    for (const double place : {nan, infinity, -infinity, 1e30, -1e30}) {
      const Tensor coordinates = cast(Tensor::from_data<double>({2, 1}, {place, 1.0}), DType::float32);
      for (const int order : {0, 1}) EXPECT_NO_THROW(image::map_coordinates(x, coordinates, order, mode)) << mode;
    }
  }
  const Tensor pictures = Tensor::full({4, 3, 1}, 2.0);
  for (const char* mode : {"constant", "nearest", "wrap", "reflect"}) {
    for (const double number : {nan, infinity, 1e30}) {
      const Tensor transform = cast(Tensor::from_data<double>({8}, {1, 0, number, 0, 1, 0, 0, 0}), DType::float32);
      for (const char* interpolation : {"nearest", "bilinear"}) {
        EXPECT_NO_THROW(
            image::affine_transform(pictures, transform, {.interpolation = interpolation, .fill_mode = mode}));
      }
    }
  }
}

TEST(ImageOps, GradientOfATransformIsThatOfItsPixels) {
  const Tensor x = random::normal({2, 5, 4, 2}, {.seed = 3});
  const Tensor transform = Tensor::from_data<float>({8}, {0.8F, -0.3F, 0.4F, 0.2F, 1.1F, -0.6F, 0.02F, 0.01F});
  const Tensor direction = random::normal({2, 5, 4, 2}, {.seed = 4});
  for (const char* mode : {"constant", "nearest", "wrap", "reflect"}) {
    GradientTape tape;
    tape.watch(x);
    const Tensor weights = random::normal({2, 5, 4, 2}, {.seed = 5});
    const Tensor loss = sum(image::affine_transform(x, transform, {.fill_mode = mode}) * weights);
    const Tensor gradient = tape.gradient(loss, x);
    // The function is linear in the images.
    const Tensor moved = sum(image::affine_transform(direction, transform, {.fill_mode = mode}) * weights);
    EXPECT_NEAR(sum(gradient * direction).to_vector()[0], moved.to_vector()[0], 1e-4) << mode;
  }
}

TEST(ImageOps, ElasticTransformMovesPixelsSmoothly) {
  const Tensor x = random::uniform({2, 16, 12, 3}, {.seed = 1});
  const Tensor still = image::elastic_transform(x, {.alpha = 0.0, .seed = 2});
  EXPECT_LT(max(abs(still - x)).to_vector()[0], 1e-6);
  const Tensor moved = image::elastic_transform(x, {.alpha = 20.0, .sigma = 2.0, .seed = 2});
  EXPECT_EQ(moved.shape(), x.shape());
  EXPECT_GT(max(abs(moved - x)).to_vector()[0], 0.1);
  EXPECT_EQ(moved.to_vector(), image::elastic_transform(x, {.alpha = 20.0, .sigma = 2.0, .seed = 2}).to_vector());
  EXPECT_NE(moved.to_vector(), image::elastic_transform(x, {.alpha = 20.0, .sigma = 2.0, .seed = 3}).to_vector());
  // Without a border nothing is above the largest or below the smallest pixel.
  EXPECT_LE(max(moved).to_vector()[0], max(x).to_vector()[0] + 1e-6);
  EXPECT_GE(min(moved).to_vector()[0], min(x).to_vector()[0] - 1e-6);
  const Tensor first = image::elastic_transform(
      transpose(x, {0, 3, 1, 2}), {.alpha = 20.0, .sigma = 2.0, .seed = 2, .data_format = "channels_first"});
  EXPECT_EQ(transpose(first, {0, 2, 3, 1}).to_vector(), moved.to_vector());
  EXPECT_EQ(image::elastic_transform(cast(x, DType::float16)).dtype(), DType::float16);
  EXPECT_THROW(image::elastic_transform(Tensor::zeros({4, 4, 1}, DType::uint8)), InvalidArgumentError);
  EXPECT_THROW(image::elastic_transform(Tensor::zeros({0, 4, 1})), InvalidArgumentError);
  EXPECT_EQ(image::elastic_transform(Tensor::zeros({0, 4, 4, 1})).shape(), (Shape{0, 4, 4, 1}));
}

// The displacements are Gaussian noise of deviation sigma, smoothed: pixels of a slope show them.
TEST(ImageOps, ElasticTransformHasTheDeviationOfKeras) {
  const std::int64_t size = 64;
  const Tensor slope = broadcast_to(reshape(range(size, DType::float32), {1, 1, size, 1}), {8, size, size, 1});
  const double sigma = 3.0;
  const Tensor moved =
      image::elastic_transform(slope, {.alpha = 1.0, .sigma = sigma, .fill_mode = "nearest", .seed = 9});
  const Tensor inner = slice(moved - slope, {0, 16, 16, 0}, {8, 32, 32, 1});
  // Of smoothed noise: sigma times the norm of the weights, which is 1 / (2 sqrt(pi) sigma).
  const double expected = 1 / (2 * std::sqrt(std::numbers::pi));
  EXPECT_NEAR(std::sqrt(variance(inner).to_vector()[0]), expected, 0.15 * expected);
}

TEST(ImageOps, IntegersAreScaledWithinTheirRange) {
  const Tensor x = Tensor::from_data<std::uint8_t>({3, 1, 1}, {0, 200, 100});
  const Tensor y = image::scale_and_translate(x, {6, 1, 1}, Tensor::full({1}, 2.0), Tensor::zeros({1}), {0}, "cubic");
  EXPECT_EQ(y.dtype(), DType::uint8);
  for (const double value : y.to_vector()) EXPECT_LE(value, 200);
}

}  // namespace
}  // namespace rhyton
