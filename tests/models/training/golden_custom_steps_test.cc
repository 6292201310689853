// Models with training steps of their own, compared with Keras batch by batch.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/tests/models/training/custom_models.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::models {
namespace {

using namespace test_models;
using test::expect_close;
using test::GoldenArea;

class GoldenCustomSteps : public ::testing::TestWithParam<bool> {
 protected:
  CompileOptions eagerly_or_not(CompileOptions options) const {
    options.run_eagerly = GetParam();
    return options;
  }
  Tensor data(const std::string& name, const std::string& role) const { return area_.array(area_.find(name), role); }
  std::vector<Tensor> weights(const std::string& name, const std::string& role) const {
    std::vector<Tensor> all;
    for (std::int64_t i = 0; i < area_.find(name)["weights"].as_int(); ++i) {
      all.push_back(data(name, role + std::to_string(i)));
    }
    return all;
  }

  static void expect_logs(const callbacks::Logs& logs, const io::Json& expected) {
    ASSERT_EQ(logs.size(), expected.items().size());
    for (const auto& [name, value] : expected.items()) {
      ASSERT_TRUE(logs.contains(name)) << name;
      EXPECT_NEAR(logs.at(name), value.as_double(), 2e-6) << name;
    }
  }

  /// Trains as the script does, from the same weights, and compares logs and weights.
  void expect_same_run(const std::string& name, const Model& model, const training::Tensors& x,
                       const training::Tensors& y, FitOptions options = {}) const {
    const io::Json& golden = area_.find(name);
    if (golden["weights"].as_int() > 0) model.set_weights(weights(name, "before"));
    std::vector<callbacks::Logs> batches;
    options.batch_size = 8;
    options.epochs = 2;
    options.shuffle = false;
    options.verbose = 0;
    options.callbacks = {callbacks::LambdaCallback(
        {.on_train_batch_end = [&](std::int64_t, const callbacks::Logs& logs) { batches.push_back(logs); }})};
    const History history = model.fit(x, y, options);
    ASSERT_EQ(batches.size(), golden["batches"].size());
    for (std::size_t i = 0; i < batches.size(); ++i) expect_logs(batches[i], golden["batches"][i]);
    ASSERT_EQ(history.history.size(), golden["history"].items().size());
    for (const auto& [metric, epochs] : golden["history"].items()) {
      for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch) {
        EXPECT_NEAR(history[metric].at(epoch), epochs[epoch].as_double(), 2e-6) << metric;
      }
    }
    const std::vector<Tensor> after = weights(name, "after");
    const std::vector<Tensor> trained = model.get_weights();
    ASSERT_EQ(trained.size(), after.size());
    for (std::size_t i = 0; i < after.size(); ++i) expect_close(trained[i], after[i]);
  }

  GoldenArea area_{"custom_steps"};
};

INSTANTIATE_TEST_SUITE_P(Ways, GoldenCustomSteps, ::testing::Values(false, true),
                         [](const auto& way) { return way.param ? "Eager" : "Compiled"; });

TEST_P(GoldenCustomSteps, StepOfTheGuide) {
  const auto model = make_model<MetricsLoop>(perceptron());
  model.compile(eagerly_or_not(
      {.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse", .weighted_metrics = {"mae"}}));
  expect_same_run("custom_step", model, data("data", "x"), data("data", "y"),
                  {.sample_weight = data("data", "weight")});
}

TEST_P(GoldenCustomSteps, LossAlone) {
  const auto model = make_model<CustomLoss>(perceptron());
  model.compile(eagerly_or_not(
      {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}), .loss = "mse", .metrics = {"mae"}}));
  const Tensor x = data("data", "x");
  const Tensor y = data("data", "y");
  expect_same_run("custom_loss", model, x, y, {.validation_data = {x.slice(0, 6), y.slice(0, 6)}});
}

TEST_P(GoldenCustomSteps, OwnTrackersAndClippedGradients) {
  const auto model = make_model<OwnTrackers>(perceptron());
  model.compile(eagerly_or_not({.optimizer = optimizers::RMSprop({.learning_rate = 0.01})}));
  const Tensor x = data("data", "x");
  const Tensor y = data("data", "y");
  expect_same_run("own_trackers", model, x, y, {.validation_data = {x.slice(0, 6), y.slice(0, 6)}});
  expect_logs(model.evaluate(x, y, {.batch_size = 8, .verbose = 0}), area_.find("own_trackers")["evaluate"]);
  expect_close(model.predict(x, {.batch_size = 8, .verbose = 0}), data("own_trackers", "predict"));
}

TEST_P(GoldenCustomSteps, Gan) {
  const auto model = make_model<Gan>();
  model->compile(optimizers::Adam({.learning_rate = 0.01}), optimizers::SGD({.learning_rate = 0.05}),
                 losses::BinaryCrossentropy({.from_logits = true}));
  if (GetParam()) model.compile({.run_eagerly = true});
  expect_same_run("gan", model, {data("gan_data", "real"), data("gan_data", "latent")}, {});
}

TEST_P(GoldenCustomSteps, Vae) {
  const auto model = make_model<Vae>();
  model.compile(eagerly_or_not({.optimizer = optimizers::Adam({.learning_rate = 0.01})}));
  const std::vector<Tensor> x = {data("vae_data", "images"), data("vae_data", "noise")};
  model.call_many(x);
  expect_same_run("vae", model, x, {});
  expect_close(model.predict(x, {.verbose = 0}), data("vae", "predict"));
}

/// Keras finds `encoder` and `decoder` under their attributes, the others in its list of layers.
TEST_P(GoldenCustomSteps, WeightsFileOfKeras) {
  const auto model = make_model<Vae>();
  const std::vector<Tensor> x = {data("vae_data", "images"), data("vae_data", "noise")};
  model.call_many(x);
  model.compile(eagerly_or_not({.optimizer = optimizers::Adam({.learning_rate = 0.01})}));
  model.train_on_batch(x, {});
  model.load_weights(RHYTON_GOLDEN_DIR "/custom_steps/vae.weights.h5");
  const std::vector<Tensor> expected = weights("vae", "after");
  const std::vector<Tensor> loaded = model.get_weights();
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(loaded[i].to_vector(), expected[i].to_vector());
  EXPECT_EQ(model.optimizer().iterations().item(), 6);
}

}  // namespace
}  // namespace rhyton::models
