// Weights of samples and of classes in `fit`.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using test::random_tensor;
using test::same_bits;

TEST(FitWeights, WeighsSamples) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  const History history = model.fit(Tensor::zeros({3, 1}), column({1, 2, 3}),
                                    {.batch_size = 2, .verbose = 0, .sample_weight = vector_of({1, 3, 0})});
  EXPECT_FLOAT_EQ(static_cast<float>(history["loss"][0]), (1 + 12) / 3.0F);
}

TEST(FitWeights, SamplesOfWeightZeroTeachNothing) {
  const Sequential model = linear_model(0.5F, 0.25F);
  const std::vector<Tensor> before = copies_of_weights(model);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  model.fit(column({1, 2, 3, 4, 10}), column({1, 2, 3, 4, 10}), {.verbose = 0, .sample_weight = Tensor::zeros({5})});
  EXPECT_TRUE(same_bits(copies_of_weights(model), before));
}

TEST(FitWeights, ClassWeightsAreSampleWeights) {
  const Tensor x = random_tensor({6, 4}, 1);
  const Tensor labels = Tensor::from_data<std::uint8_t>({6}, {0, 1, 2, 2, 1, 0});
  const Tensor one_hot = Tensor::from_data<float>({6, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0});
  // Classes that are not given have the weight 1.
  const std::map<std::int64_t, double> class_weight = {{1, 3.0}, {2, 0.5}};
  const Tensor sample_weight = vector_of({1, 3, 0.5F, 0.5F, 3, 1});
  const std::vector<Tensor> initial = {random_tensor({4, 3}, 2), random_tensor({3}, 3)};

  const auto trained = [&](const Tensor& y, const char* loss, FitOptions options) {
    const Sequential model({layers::Input({.shape = {4}}), layers::Dense(3, {.activation = "softmax"})});
    model.set_weights(initial);
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.5}), .loss = loss});
    options.batch_size = 4;
    options.epochs = 2;
    options.verbose = 0;
    options.shuffle = false;
    model.fit(x, y, options);
    return copies_of_weights(model);
  };
  for (const auto& [y, loss] : {std::pair<Tensor, const char*>{labels, "sparse_categorical_crossentropy"},
                                {labels.reshape({6, 1}), "sparse_categorical_crossentropy"},
                                {one_hot, "categorical_crossentropy"}}) {
    const std::vector<Tensor> by_sample = trained(y, loss, {.sample_weight = sample_weight});
    EXPECT_TRUE(same_bits(trained(y, loss, {.class_weight = class_weight}), by_sample)) << loss;
    EXPECT_FALSE(same_bits(trained(y, loss, {}), by_sample)) << loss;
  }
}

TEST(FitWeights, ClassWeightsAreNotUsedInTheValidation) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  const History history = model.fit(Tensor::zeros({5, 1}), column({0, 1, 1, 1, 2}),
                                    {.verbose = 0, .validation_split = 0.4, .class_weight = {{1, 3.0}}});
  EXPECT_FLOAT_EQ(static_cast<float>(history["loss"][0]), (0 + 3 + 3) / 3.0F);
  EXPECT_FLOAT_EQ(static_cast<float>(history["val_loss"][0]), (1 + 4) / 2.0F);
}

TEST(FitWeights, TheClassOfALabelIsTheNearestInteger) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  const History history =
      model.fit(Tensor::zeros({2, 1}), column({0.75F, 1.5F}), {.verbose = 0, .class_weight = {{1, 4.0}, {2, 8.0}}});
  EXPECT_FLOAT_EQ(static_cast<float>(history["loss"][0]), (0.5625F * 4 + 2.25F * 8) / 2);
}

}  // namespace
}  // namespace rhyton::models
