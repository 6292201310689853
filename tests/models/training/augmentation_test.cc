// Layers that change images at random in models: in fit, not in evaluate and predict.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/preprocessing/random_crop.h>
#include <rhyton/layers/preprocessing/random_flip.h>
#include <rhyton/layers/preprocessing/random_rotation.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>

namespace rhyton::models {
namespace {

Tensor images_of_steps(std::int64_t count) {
  return broadcast_to(reshape(range(9, DType::float32), {1, 3, 3, 1}), {count, 3, 3, 1});
}

Sequential flipping(bool run_eagerly) {
  Sequential model({layers::Input({.shape = {3, 3, 1}}), layers::RandomFlip("horizontal", {.seed = 4})});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.0}), .loss = "mse", .run_eagerly = run_eagerly});
  return model;
}

class AugmentationInModels : public testing::TestWithParam<bool> {};

TEST_P(AugmentationInModels, FitSeesChangedImagesEvaluateAndPredictDoNot) {
  const Sequential model = flipping(GetParam());
  const Tensor images = images_of_steps(64);
  const auto logs = model.fit(images, images, {.batch_size = 64, .verbose = 0});
  // Half of the images are flipped: two of three columns then differ by 2.
  EXPECT_NEAR(logs.history.at("loss")[0], 4.0 / 3, 0.67);
  EXPECT_EQ(model.evaluate(images, images, {.verbose = 0}).at("loss"), 0);
  EXPECT_EQ(model.predict(images, {.verbose = 0}).to_vector(), images.to_vector());
}

TEST_P(AugmentationInModels, EachEpochSeesOtherImages) {
  const Sequential model = flipping(GetParam());
  const Tensor images = images_of_steps(64);
  const auto losses = model.fit(images, images, {.batch_size = 64, .epochs = 4, .verbose = 0}).history.at("loss");
  EXPECT_NE(losses[0], losses[1]);
}

INSTANTIATE_TEST_SUITE_P(Steps, AugmentationInModels, testing::Bool(),
                         [](const auto& info) { return info.param ? "eager" : "compiled"; });

TEST(Augmentation, ACallOfAModelIsTrainingOnlyForLayersWhoseDefaultItIs) {
  const Sequential model({layers::Input({.shape = {3, 3, 1}}), layers::RandomFlip({.seed = 4}), layers::Dropout(0.5)});
  const Tensor images = images_of_steps(16) + 1;
  const std::vector<double> called = model(images).to_vector();
  EXPECT_NE(called, images.to_vector());
  // Dropout did nothing.
  EXPECT_EQ(std::count(called.begin(), called.end(), 0), 0);
  EXPECT_EQ(model(images, {.training = false}).to_vector(), images.to_vector());
  const std::vector<double> trained = model(images, {.training = true}).to_vector();
  EXPECT_GT(std::count(trained.begin(), trained.end(), 0), 0);
}

TEST(Augmentation, ACallSaysMoreThanTheModeOfTheModel) {
  const layers::Input input({.shape = {3, 3, 1}});
  const Model never({.inputs = input, .outputs = layers::RandomFlip({.seed = 4})(input, {.training = false})});
  const Model always({.inputs = input, .outputs = layers::RandomFlip({.seed = 4})(input, {.training = true})});
  const Tensor images = images_of_steps(16);
  EXPECT_EQ(never(images, {.training = true}).to_vector(), images.to_vector());
  EXPECT_NE(always.predict(images, {.verbose = 0}).to_vector(), images.to_vector());
}

// As in Keras, where the layer returns its input.
TEST(Augmentation, PredictGetsImagesThatAreNotCropped) {
  const Sequential model({layers::Input({.shape = {-1, -1, 1}}), layers::RandomCrop(2, 2, {.seed = 1})});
  EXPECT_EQ(model.outputs()[0].shape(), (Shape{-1, 2, 2, 1}));
  EXPECT_EQ(model(images_of_steps(2)).shape(), (Shape{2, 2, 2, 1}));
  EXPECT_EQ(model(images_of_steps(2), {.training = false}).shape(), (Shape{2, 3, 3, 1}));
}

}  // namespace
}  // namespace rhyton::models
