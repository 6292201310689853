// Layers that mix images and their labels, or several changes of them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/tests/layers/preprocessing/colour_layers.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using Tensors = std::map<std::string, Tensor>;

/// Images of one value each, 0, 1, 2, …, and their one-hot labels.
Tensors numbered_images(std::int64_t batch, std::int64_t size) {
  const Tensor numbers = cast(range(batch), DType::float32);
  return {{"images", broadcast_to(reshape(numbers, {batch, 1, 1, 1}), {batch, size, size, 1})},
          {"labels", one_hot(range(batch), batch)}};
}

/// The mean value of each image that its label stands for.
std::vector<double> values_of_labels(const Tensor& labels) {
  const Tensor numbers = cast(range(labels.shape()[1]), DType::float32);
  return sum(labels * numbers, {1}).to_vector();
}

void expect_near(const std::vector<double>& result, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(result.size(), expected.size());
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], expected[i], tolerance) << i;
}

TEST(MixUp, MixesLabelsAsImages) {
  const std::vector<Tensor> mixed = MixUp({.alpha = 0.5, .seed = 1}).call_many(numbered_images(20, 3));
  ASSERT_EQ(mixed.size(), 2);
  expect_near(mean(mixed[0], {1, 2, 3}).to_vector(), values_of_labels(mixed[1]), 1e-4);
  expect_near(sum(mixed[1], {1}).to_vector(), std::vector<double>(20, 1.0), 1e-5);
  EXPECT_NE(mixed[1].to_vector(), numbered_images(20, 3)["labels"].to_vector());
  // The other images are all images in another order.
  const std::vector<double> shares = sum(mixed[1], {0}).to_vector();
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 20, 1e-4);
}

TEST(CutMix, MixesLabelsInProportionToTheArea) {
  constexpr std::int64_t size = 64;
  const std::vector<Tensor> mixed = CutMix({.seed = 1}).call_many(numbered_images(20, size));
  // The area in pixels is rounded.
  expect_near(mean(mixed[0], {1, 2, 3}).to_vector(), values_of_labels(mixed[1]), 20 * 2.0 / size);
  EXPECT_NE(mixed[0].to_vector(), numbered_images(20, size)["images"].to_vector());
  for (std::int64_t i = 0; i < 20; ++i) {
    const std::vector<double> values = mixed[0].slice(i, i + 1).to_vector();
    EXPECT_LE(std::set<double>(values.begin(), values.end()).size(), 2);
  }
}

TEST(CutMix, PastesOneRectangle) {
  constexpr std::int64_t size = 16;
  for (const char* const format : {"channels_last", "channels_first"}) {
    const bool is_first = std::string(format) == "channels_first";
    const Shape shape = is_first ? Shape{20, 1, size, size} : Shape{20, size, size, 1};
    const Tensor images = reshape(numbered_images(20, size)["images"], shape);
    const std::vector<double> result = CutMix({.seed = 2, .data_format = format})(images).to_vector();
    for (std::int64_t image = 0; image < 20; ++image) {
      std::vector<std::int64_t> rows;
      std::vector<std::int64_t> columns;
      std::int64_t count = 0;
      for (std::int64_t y = 0; y < size; ++y) {
        for (std::int64_t x = 0; x < size; ++x) {
          if (result[static_cast<std::size_t>((image * size + y) * size + x)] == static_cast<double>(image)) continue;
          rows.push_back(y);
          columns.push_back(x);
          ++count;
        }
      }
      if (count == 0) continue;
      const auto [top, bottom] = std::minmax_element(rows.begin(), rows.end());
      const auto [left, right] = std::minmax_element(columns.begin(), columns.end());
      EXPECT_EQ((*bottom - *top + 1) * (*right - *left + 1), count);
    }
  }
}

TEST(Mixing, WithoutTrainingReturnsImagesAndLabels) {
  for (const Layer& layer : {Layer(MixUp()), Layer(CutMix())}) {
    const Tensors data = numbered_images(6, 4);
    const std::vector<Tensor> result = layer.call_many(data, {.training = false});
    EXPECT_EQ(result[0].to_vector(), data.at("images").to_vector());
    EXPECT_EQ(result[1].to_vector(), data.at("labels").to_vector());
    EXPECT_EQ(layer(data.at("images")[0]).to_vector(), data.at("images")[0].to_vector());
    EXPECT_EQ(layer.call_many(Tensors{{"images", data.at("images")}}).size(), 1);
  }
}

TEST(Mixing, OfSymbolicTensorsHasTheirShapes) {
  const std::map<std::string, SymbolicTensor> data = {{"images", Input({.shape = {6, 5, 3}})},
                                                      {"labels", Input({.shape = {10}})}};
  for (const Layer& layer : {Layer(MixUp()), Layer(CutMix())}) {
    const std::vector<SymbolicTensor> mixed = layer.call_many(data);
    ASSERT_EQ(mixed.size(), 2);
    EXPECT_EQ(mixed[0].shape(), (Shape{-1, 6, 5, 3}));
    EXPECT_EQ(mixed[1].shape(), (Shape{-1, 10}));
  }
}

TEST(Mixing, RefusesWhatCannotBeMixed) {
  const Tensor images = Tensor::zeros({4, 3, 3, 1});
  for (const Layer& layer : {Layer(MixUp({.name = "mix"})), Layer(CutMix({.name = "mix"}))}) {
    EXPECT_EQ(message_of<ValueError>([&] {
                layer.call_many(Tensors{{"images", images}, {"labels", Tensor::zeros({4})}});
              }),
              "Labels to be mixed must be vectors of classes, of shape (batch, classes). Received: labels.shape=(4,) "
              "(layer 'mix' of class " +
                  layer.class_name() + ")");
    EXPECT_THROW(layer.call_many(Tensors{{"images", images}, {"labels", Tensor::zeros({4, 2}, DType::int32)}}),
                 InvalidArgumentError);
    EXPECT_EQ(layer.call_many(Tensors{{"images", images}, {"segmentation_masks", images}}).size(), 2);
    EXPECT_THROW(layer.call_many(Tensors{{"labels", images}}), ValueError);
  }
  EXPECT_THROW(MixUp({.alpha = 0}), ValueError);
  EXPECT_THROW(CutMix({.factor = 2}), ValueError);
}

TEST(RandAugment, WithoutOperationsChangesNothing) {
  const Tensor images = test::same_colours(3, 6, 7);
  EXPECT_EQ(RandAugment({.num_ops = 0})(images).to_vector(), images.to_vector());
}

TEST(RandAugment, ChoosesForTheWholeBatch) {
  // Posterization, the only change of these images to multiples of 128, with strength 0.2: one bit.
  const Tensor images = test::same_colours(5, 4, 4);
  const RandAugment layer({.num_ops = 1, .factor = {0, 0.2}, .seed = 1});
  int posterized = 0;
  for (int call = 0; call < 60; ++call) {
    int of_batch = 0;
    const Tensor result = layer(images);
    for (std::int64_t i = 0; i < 5; ++i) {
      const std::vector<double> values = result.slice(i, i + 1).to_vector();
      const bool is = std::all_of(values.begin(), values.end(), [](double x) { return std::fmod(x, 128) == 0; });
      of_batch += is ? 1 : 0;
    }
    EXPECT_TRUE(of_batch == 0 || of_batch == 5);
    posterized += of_batch / 5;
  }
  EXPECT_GE(posterized, 1);
  EXPECT_LE(posterized, 14);
}

TEST(AugMix, WithoutChangesIsTheImage) {
  const Tensor images = test::same_colours(3, 6, 7);
  expect_near(AugMix({.chain_depth = 0})(images).to_vector(), images.to_vector(), 1e-3);
}

TEST(AugMix, DrawsOtherChangesAtEachCall) {
  const Tensor images = test::same_colours(3, 6, 7);
  const AugMix layer({.seed = 4});
  std::set<std::vector<double>> results;
  for (int call = 0; call < 6; ++call) results.insert(layer(images).to_vector());
  EXPECT_EQ(results.size(), 6);
}

TEST(ColorJitter, HasTheVariablesOfItsLayers) {
  EXPECT_EQ(RandomColorJitter({.brightness_factor = 0.1, .hue_factor = 0.2}).variables().size(), 3);
  EXPECT_EQ(RandomColorJitter().variables().size(), 1);
}

}  // namespace
}  // namespace rhyton::layers
