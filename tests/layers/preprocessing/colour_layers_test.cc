// What all layers that change the colours of images have in common.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/preprocessing/auto_contrast.h>
#include <rhyton/layers/preprocessing/contrast_limited_adaptive_histogram_equalization.h>
#include <rhyton/layers/preprocessing/equalization.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/layers/preprocessing/colour_layers.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::all_random_colour_layers;
using test::message_of;
using test::mixing_layers;
using test::random_colour_layers;
using test::same_colours;

std::vector<Layer> without_random_numbers() {
  return {Equalization(), AutoContrast(), ContrastLimitedAdaptiveHistogramEqualization({.tile_grid_size = {2, 2}})};
}

std::set<std::vector<double>> different_images(const Tensor& images) {
  std::set<std::vector<double>> different;
  for (std::int64_t i = 0; i < images.shape()[0]; ++i) different.insert(images.slice(i, i + 1).to_vector());
  return different;
}

/// Two results of a call, up to rounding.
void expect_same(const std::vector<double>& result, const std::vector<double>& expected) {
  ASSERT_EQ(result.size(), expected.size());
  for (std::size_t i = 0; i < result.size(); ++i) ASSERT_NEAR(result[i], expected[i], 1e-3) << i;
}

TEST(ColourImages, AreChangedUnlessSomebodySaysThatThisIsNoTraining) {
  const Tensor images = same_colours(9, 6, 7);
  for (const Layer& layer : random_colour_layers()) {
    SCOPED_TRACE(layer.class_name());
    EXPECT_NE(layer(images).to_vector(), images.to_vector());
    EXPECT_NE(layer(images, {.training = true}).to_vector(), images.to_vector());
    EXPECT_EQ(layer(images, {.training = false}).to_vector(), images.to_vector());
    const TrainingScope prediction(false);
    EXPECT_EQ(layer(images).to_vector(), images.to_vector());
  }
  for (const Layer& layer : mixing_layers()) {
    EXPECT_EQ(layer(images, {.training = false}).to_vector(), images.to_vector()) << layer.class_name();
  }
}

TEST(ColourImages, DifferWithinABatch) {
  const Tensor images = same_colours(24, 5, 6);
  for (const Layer& layer : random_colour_layers()) {
    EXPECT_GT(different_images(layer(images)).size(), 1) << layer.class_name();
  }
}

TEST(ColourImages, FollowTheSeed) {
  const Tensor images = test::random_tensor({5, 8, 7, 3}, 2) * 30 + 120;
  const std::vector<Layer> first = all_random_colour_layers();
  const std::vector<Layer> second = all_random_colour_layers();
  for (std::size_t i = 0; i < first.size(); ++i) {
    SCOPED_TRACE(first[i].class_name());
    std::set<std::vector<double>> results;
    for (int call = 0; call < 4; ++call) {
      const std::vector<double> result = first[i](images).to_vector();
      EXPECT_EQ(second[i](images).to_vector(), result);
      results.insert(result);
    }
    EXPECT_GT(results.size(), 1);
  }
}

TEST(ColourImages, ACompiledFunctionDrawsInSlicesWhatAnEagerCallDraws) {
  const Tensor images = test::random_tensor({67, 6, 7, 3}, 2) * 30 + 120;
  const std::vector<Layer> traced = all_random_colour_layers();
  const std::vector<Layer> eager = all_random_colour_layers();
  for (std::size_t i = 0; i < traced.size(); ++i) {
    SCOPED_TRACE(traced[i].class_name());
    const graph::Function call = [&](const std::vector<Tensor>& inputs) {
      return std::vector<Tensor>{traced[i](inputs[0], {.training = true})};
    };
    graph::Executable executable(graph::trace({{images.spec(), 0}}, call), {.plan = {.check = true}});
    // A traced function keeps the changes of AugMix, an eager call draws them.
    const int runs = traced[i].class_name() == "AugMix" ? 1 : 3;
    for (int run = 0; run < runs; ++run) expect_same(executable({images})[0].to_vector(), eager[i](images).to_vector());
  }
}

TEST(ColourImages, OfLayersWithoutRandomNumbersAreTheSameInACompiledFunction) {
  const Tensor images = test::random_tensor({67, 6, 7, 3}, 2) * 30 + 120;
  for (const Layer& layer : without_random_numbers()) {
    SCOPED_TRACE(layer.class_name());
    const graph::Function call = [&](const std::vector<Tensor>& inputs) {
      return std::vector<Tensor>{layer(inputs[0], {.training = true})};
    };
    graph::Executable executable(graph::trace({{images.spec(), 0}}, call), {.plan = {.check = true}});
    EXPECT_EQ(executable({images})[0].to_vector(), layer(images).to_vector());
  }
}

TEST(ColourImages, AreOneImageOrABatchOfAnyNumber) {
  std::vector<Layer> all = all_random_colour_layers();
  for (const Layer& layer : without_random_numbers()) all.push_back(layer);
  for (const Layer& layer : all) {
    SCOPED_TRACE(layer.class_name());
    EXPECT_EQ(layer(Tensor::zeros({6, 5, 3})).shape(), (Shape{6, 5, 3}));
    for (const std::int64_t batch : {0, 1, 3}) {
      for (const bool training : {true, false}) {
        EXPECT_EQ(layer(Tensor::zeros({batch, 6, 5, 3}), {.training = training}).shape(), (Shape{batch, 6, 5, 3}));
      }
    }
    EXPECT_EQ(layer(Input({.shape = {6, 5, 3}})).shape(), (Shape{-1, 6, 5, 3}));
    EXPECT_EQ(layer(Input({.shape = {-1, -1, 3}})).shape(), (Shape{-1, -1, -1, 3}));
    EXPECT_EQ(
        message_of<ValueError>([&] {
          layer(Tensor::zeros({4, 5}));
        }),
        "Expected image tensor to have rank 3 (single image) or 4 (batch of images). Received: data.shape=(4, 5)");
  }
}

TEST(ColourImages, OfIntegersDoNotCrash) {
  // Keras, too, refuses integers there.
  const std::set<std::string> refusing = {"RandomContrast", "RandomSaturation"};
  for (const DType dtype : {DType::uint8, DType::int32, DType::int64}) {
    const Tensor images = cast(same_colours(3, 6, 5), dtype);
    for (const Layer& layer : all_random_colour_layers()) {
      SCOPED_TRACE(layer.class_name());
      if (refusing.contains(layer.class_name())) {
        EXPECT_THROW(layer(images), Error);
        continue;
      }
      const bool is_kept = layer.class_name() == "RandomBrightness" || layer.class_name() == "RandomGrayscale";
      EXPECT_EQ(layer(images).dtype(), is_kept ? dtype : DType::float32);
    }
  }
}

TEST(ColourImages, HaveTheComputeDtype) {
  for (const DType dtype : {DType::float16, DType::float32, DType::float64}) {
    const Tensor images = cast(same_colours(2, 6, 5), dtype);
    for (const char* const policy : {"float32", "mixed_float16", "mixed_bfloat16", "float64"}) {
      for (const Layer& layer : all_random_colour_layers(policy)) {
        SCOPED_TRACE(layer.class_name() + " " + policy);
        EXPECT_EQ(layer(images).dtype(), layer.compute_dtype());
        EXPECT_EQ(layer(images, {.training = false}).dtype(), layer.compute_dtype());
      }
    }
  }
}

TEST(ColourImages, WithADtypeOfIntegersAreComputedOrRefused) {
  const Tensor images = cast(same_colours(2, 6, 5), DType::uint8);
  for (const Layer& layer : all_random_colour_layers("uint8")) {
    SCOPED_TRACE(layer.class_name());
    EXPECT_EQ(layer(images, {.training = false}).to_vector(), images.to_vector());
    try {
      EXPECT_EQ(layer(images).dtype(), DType::uint8);
    } catch (const Error&) {
      EXPECT_FALSE(layer.class_name() == "RandomBrightness" || layer.class_name() == "RandomInvert");
    }
  }
}

TEST(ColourImages, AreDifferentiable) {
  const Tensor images = same_colours(3, 6, 5);
  for (const Layer& layer : all_random_colour_layers()) {
    if (layer.class_name() == "RandomPosterization") continue;  // a step function
    GradientTape tape;
    tape.watch(images);
    const Tensor result = layer(images);
    EXPECT_EQ(tape.gradient(result, images).shape(), images.shape()) << layer.class_name();
  }
}

TEST(ColourImages, ComeBackFromTheirConfigurations) {
  std::vector<Layer> all = all_random_colour_layers();
  for (const Layer& layer : without_random_numbers()) all.push_back(layer);
  for (const Layer& layer : all) {
    const io::Json saved = serialize(layer);
    EXPECT_EQ(serialize(deserialize(saved)), saved) << layer.class_name();
  }
}

TEST(ColourImages, ErrorsAreThoseOfKeras) {
  const std::string bounds = "The `factor` argument should be a number (or a list of two numbers) in the range ";
  EXPECT_EQ(message_of<ValueError>([] { RandomBrightness(1.5); }), bounds + "[-1, 1]. Received: factor=1.5");
  EXPECT_EQ(message_of<ValueError>([] { RandomContrast({1.5, 2.0}); }), bounds + "[0, 1]. Received: factor=(1.5, 2.0)");
  EXPECT_EQ(message_of<ValueError>([] { RandomPosterization(0.0); }), bounds + "[1, 8]. Received: factor=0.0");
  EXPECT_EQ(message_of<ValueError>([] { RandomGrayscale({.factor = 1.5}); }),
            "`factor` should be between 0 and 1. Received: factor=1.5");
  EXPECT_EQ(message_of<ValueError>([] { RandomGaussianBlur({.kernel_size = 2}); }),
            "kernel_size must be an odd number. Received: kernel_size=2.0");
  EXPECT_EQ(message_of<ValueError>([] { RandomGaussianBlur({.sigma = 1.5}); }),
            "The `sigma` argument should be a number (or a list of two numbers) in the range [0, 1]. Received: "
            "factor=1.5");
  EXPECT_EQ(message_of<ValueError>([] { Solarization({.addition_factor = 2}); }),
            "The `addition_factor` and `threshold_factor` arguments should be a number (or a list of two numbers) in "
            "the range [0, 1]. Received: input_number=2.0");
  const io::Json config = io::Json::parse(R"({"factor": 0.2, "value_range": [1]})", "config");
  EXPECT_EQ(message_of<ValueError>([&] { RandomBrightness::from_config(config); }),
            "The `value_range` argument should be a list of two numbers. Received: value_range=[1]");
  EXPECT_THROW(RandomBrightness::from_config(io::Json::object()), ValueError);
  EXPECT_THROW(ContrastLimitedAdaptiveHistogramEqualization({.tile_grid_size = {0, 2}}), ValueError);
  EXPECT_THROW(Equalization({.bins = 0}), ValueError);
}

TEST(ColourImages, NeedThreeChannelsWhereColoursAreConverted) {
  const Tensor grey = Tensor::zeros({2, 4, 5, 1});
  EXPECT_EQ(message_of<ValueError>([&] { RandomHue(0.2)(grey); }),
            "Input images must have 3 channels, but received images with 1 channels.");
  EXPECT_THROW(RandomSaturation(0.2)(grey), ValueError);
  EXPECT_THROW(RandomGrayscale({.factor = 1})(Tensor::zeros({2, 4, 5, 2})), ValueError);
  EXPECT_EQ(message_of<ValueError>([&] {
              RandomColorDegeneration(0.2)(Input({.shape = {4, 5, 1}}));
            }),
            "Input images must have 3 channels, but received images with 1 channels.");
  EXPECT_EQ(RandomColorDegeneration(0.2)(grey).shape(), grey.shape());
}

}  // namespace
}  // namespace rhyton::layers
