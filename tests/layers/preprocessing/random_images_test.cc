// What all layers that change images at random have in common.

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/layers/preprocessing/random_images.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using test::random_image_layers;
using test::same_images;

/// Whether images of the batch, which were the same one, differ.
bool differ(const Tensor& images) {
  std::set<std::vector<double>> different;
  for (std::int64_t i = 0; i < images.shape()[0]; ++i) different.insert(images.slice(i, i + 1).to_vector());
  return different.size() > 1;
}

TEST(RandomImages, AreChangedUnlessSomebodySaysThatThisIsNoTraining) {
  const Tensor images = same_images(6, 7, 8, 3);
  for (const Layer& layer : random_image_layers()) {
    SCOPED_TRACE(layer.class_name());
    EXPECT_NE(layer(images).to_vector(), images.to_vector());
    EXPECT_NE(layer(images, {.training = true}).to_vector(), images.to_vector());
    EXPECT_EQ(layer(images, {.training = false}).to_vector(), images.to_vector());
    const TrainingScope prediction(false);
    EXPECT_EQ(layer(images).to_vector(), images.to_vector());
  }
}

TEST(RandomImages, DifferWithinABatchExceptForCrops) {
  for (const Layer& layer : random_image_layers()) {
    EXPECT_EQ(differ(layer(same_images(24, 7, 8, 3))), layer.class_name() != "RandomCrop") << layer.class_name();
  }
}

TEST(RandomImages, FollowTheSeed) {
  const Tensor images = same_images(6, 12, 11, 3);
  const std::vector<Layer> first = random_image_layers();
  const std::vector<Layer> second = random_image_layers();
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

TEST(RandomImages, WithoutASeedTheGlobalSeedDecides) {
  const auto drawn = [](std::uint64_t seed) {
    set_random_seed(seed);
    return RandomRotation(0.5)(same_images(3, 5, 5)).to_vector();
  };
  EXPECT_EQ(drawn(3), drawn(3));
  EXPECT_NE(drawn(3), drawn(4));
}

TEST(RandomImages, ACompiledFunctionDrawsInSlicesWhatAnEagerCallDraws) {
  const Tensor images = same_images(67, 7, 8, 3);
  const std::vector<Layer> traced = random_image_layers();
  const std::vector<Layer> eager = random_image_layers();
  for (std::size_t i = 0; i < traced.size(); ++i) {
    SCOPED_TRACE(traced[i].class_name());
    const graph::Function call = [&](const std::vector<Tensor>& inputs) {
      return std::vector<Tensor>{traced[i](inputs[0], {.training = true})};
    };
    graph::Executable executable(graph::trace({{images.spec(), 0}}, call), {.plan = {.check = true}});
    for (int run = 0; run < 2; ++run) {
      const std::vector<double> result = executable({images})[0].to_vector();
      const std::vector<double> expected = eager[i](images).to_vector();
      ASSERT_EQ(result.size(), expected.size());
      for (std::size_t k = 0; k < result.size(); ++k) ASSERT_NEAR(result[k], expected[k], 1e-4);
    }
  }
}

TEST(RandomImages, HaveTheComputeDtype) {
  for (const DType dtype : {DType::uint8, DType::int32, DType::float16, DType::float32, DType::float64}) {
    const Tensor images = cast(same_images(2, 6, 5, 3), dtype);
    for (const char* const policy : {"float32", "mixed_float16", "mixed_bfloat16", "float64"}) {
      for (const Layer& layer : random_image_layers(policy)) {
        SCOPED_TRACE(layer.class_name() + " " + policy);
        EXPECT_EQ(layer(images).dtype(), layer.compute_dtype());
        const bool is_cut = layer.class_name() == "RandomCrop";
        EXPECT_EQ(layer(images, {.training = false}).dtype(), is_cut ? dtype : layer.compute_dtype());
      }
    }
  }
}

TEST(RandomImages, OfIntegersNeedNumbersOfTheirDtype) {
  const Tensor images = cast(same_images(2, 6, 5, 3), DType::uint8);
  const std::set<std::string> with_numbers = {"RandomShear", "RandomPerspective", "RandomElasticTransform",
                                              "RandomErasing"};
  for (const Layer& layer : random_image_layers("uint8")) {
    EXPECT_EQ(layer(images, {.training = false}).to_vector(), images.to_vector());
    if (with_numbers.contains(layer.class_name())) {
      EXPECT_THROW(layer(images), ValueError) << layer.class_name();
    } else {
      EXPECT_EQ(layer(images).dtype(), DType::uint8) << layer.class_name();
    }
  }
}

TEST(RandomImages, AreOneImageOrABatchOfAnyNumber) {
  for (const Layer& layer : random_image_layers()) {
    SCOPED_TRACE(layer.class_name());
    const bool is_cut = layer.class_name() == "RandomCrop";
    const auto result = [&](std::int64_t height, std::int64_t width) {
      return is_cut ? Shape{4, 3} : Shape{height, width};
    };
    EXPECT_EQ(layer(Tensor::zeros({6, 5, 3})).shape(), result(6, 5).concatenate({3}));
    for (const std::int64_t batch : {0, 1, 3}) {
      EXPECT_EQ(layer(Tensor::zeros({batch, 6, 5, 2})).shape(),
                (Shape{batch}.concatenate(result(6, 5)).concatenate({2})));
    }
    EXPECT_EQ(layer(Input({.shape = {6, 5, 3}})).shape(), (Shape{-1}.concatenate(result(6, 5)).concatenate({3})));
    EXPECT_EQ(layer(Input({.shape = {-1, -1, 3}})).shape(), (Shape{-1}.concatenate(result(-1, -1)).concatenate({3})));
    EXPECT_EQ(
        message_of<ValueError>([&] {
          layer(Tensor::zeros({4, 5}));
        }),
        "Expected image tensor to have rank 3 (single image) or 4 (batch of images). Received: data.shape=(4, 5)");
  }
}

TEST(RandomImages, AreDifferentiable) {
  const Tensor images = same_images(3, 6, 5, 2);
  for (const Layer& layer : random_image_layers()) {
    GradientTape tape;
    tape.watch(images);
    const Tensor result = layer(images);
    EXPECT_EQ(tape.gradient(result, images).shape(), images.shape()) << layer.class_name();
  }
}

TEST(RandomImages, ComeBackFromTheirConfigurations) {
  for (const Layer& layer : random_image_layers()) {
    const io::Json saved = serialize(layer);
    EXPECT_EQ(serialize(deserialize(saved)), saved) << layer.class_name();
  }
}

/// A layer that calls others without a word about training.
class FlippingBlock final : public LayerImpl {
 public:
  FlippingBlock() : LayerImpl(LayerOptions{}) {}
  std::string class_name() const override { return "FlippingBlock"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {flip_(inputs[0])}; }

 private:
  RandomFlip flip_ = track("flip", RandomFlip({.seed = 2}));
};

TEST(RandomImages, OfALayerWithinALayerAreChangedUnlessItsCallerSaysOtherwise) {
  const Tensor images = same_images(8, 3, 3);
  const Layer block = make_layer<FlippingBlock>();
  EXPECT_NE(block(images).to_vector(), images.to_vector());
  EXPECT_NE(block(images, {.training = true}).to_vector(), images.to_vector());
  EXPECT_EQ(block(images, {.training = false}).to_vector(), images.to_vector());
}

}  // namespace
}  // namespace rhyton::layers
