// Files do not depend on strategies: models saved with one load without, and vice versa.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/framework/distribute/training_setup.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::distribute {
namespace {

class MirroredSaving : public testing::TestWithParam<std::string> {
 protected:
  models::Model build() const {
    set_random_seed(1);
    models::Sequential model({layers::Input({.shape = {5}}), layers::Dense(6, {.use_bias = false}),
                              layers::BatchNormalization({.synchronized = true}), layers::Dense(2)});
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
    return model;
  }
  void train(const models::Model& model) const {
    model.fit(x, y, {.batch_size = 8, .epochs = 2, .verbose = 0, .shuffle = false});
  }
  Tensor predictions_of(const models::Model& model) const { return model.predict(x, {.verbose = 0}); }
  std::string file() const { return (folder / ("model." + GetParam())).string(); }

  const test::TemporaryFolder folder;
  const Tensor x = random_normal({19, 5}, 1, 0);
  const Tensor y = random_normal({19, 2}, 2, 0);
  const MirroredStrategy strategy{logical_cpus(3)};
};

/// Predictions now, and after further training, are equal up to rounding.
void expect_like(const Tensor& actual, const Tensor& expected) { EXPECT_LE(relative_distance(actual, expected), 1e-5); }

TEST_P(MirroredSaving, WhatWasSavedUnderAStrategyLoadsWithout) {
  models::Model saved;
  {
    const auto scope = strategy.scope();
    saved = build();
  }
  train(saved);
  saved.save(file());
  const models::Model loaded = models::load_model(file());
  expect_like(predictions_of(loaded), predictions_of(saved));
  train(saved);
  train(loaded);
  expect_like(predictions_of(loaded), predictions_of(saved));
}

TEST_P(MirroredSaving, WhatWasSavedWithoutLoadsUnderAStrategy) {
  const models::Model saved = build();
  train(saved);
  saved.save(file());
  models::Model loaded;
  {
    const auto scope = strategy.scope();
    loaded = models::load_model(file());
  }
  expect_like(predictions_of(loaded), predictions_of(saved));
  train(saved);
  train(loaded);
  expect_like(predictions_of(loaded), predictions_of(saved));
}

INSTANTIATE_TEST_SUITE_P(Formats, MirroredSaving, testing::Values("keras", "h5"));

TEST(MirroredWeights, AreLoadedIntoAllReplicas) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "trained.weights.h5").string();
  const Tensor x = random_normal({12, 4}, 1, 0);
  const Tensor y = random_normal({12, 2}, 2, 0);
  const auto build = [] {
    const models::Sequential model({layers::Input({.shape = {4}}), layers::Dense(2)});
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
    return models::Model(model);
  };
  const models::FitOptions fit{.batch_size = 6, .verbose = 0, .shuffle = false};
  const models::Model expected = build();
  expected.fit(x, y, fit);
  expected.save_weights(file);

  const MirroredStrategy strategy(logical_cpus(3));
  const auto scope = strategy.scope();
  const models::Model model = build();
  // The replicas already have copies with other values.
  model.fit(x, y, {.batch_size = 4, .epochs = 3, .verbose = 0});
  model.load_weights(file);
  expected.fit(x, y, fit);
  model.fit(x, y, fit);
  for (std::size_t i = 0; i < expected.weights().size(); ++i) {
    EXPECT_LE(relative_distance(model.weights()[i].stored_value(), expected.weights()[i].stored_value()), 1e-5);
  }
}

}  // namespace
}  // namespace rhyton::distribute
