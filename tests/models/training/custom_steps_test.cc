// What `fit`, `evaluate` and `predict` do with a model's own steps.

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/seed_generator.h>
#include <rhyton/framework/ops/seeded_random.h>
#include <rhyton/models/callbacks/early_stopping.h>
#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/models/callbacks/model_checkpoint.h>
#include <rhyton/models/saving/custom_objects.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/models/training/custom_models.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using namespace test_models;
using test::message_of;
using test::same_bits;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CustomSteps : public ::testing::Test {
 protected:
  void SetUp() override { clear_session(); }

  /// The built-in model, or a custom one of the same weights.
  template <class Custom>
  static Model seeded(bool custom) {
    set_random_seed(5);
    return custom ? Model(make_model<Custom>(perceptron())) : Model(perceptron());
  }

  Tensor x_ = test::random_tensor({20, 3}, 1);
  Tensor y_ = test::random_tensor({20, 2}, 2);
};

void expect_equal_histories(const History& a, const History& b) {
  ASSERT_EQ(a.history.size(), b.history.size());
  for (const auto& [name, values] : b.history) EXPECT_EQ(a[name], values) << name;
}

void expect_equal_weights(const Model& a, const Model& b) {
  const std::vector<Tensor> left = a.get_weights();
  const std::vector<Tensor> right = b.get_weights();
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) EXPECT_TRUE(same_bits(left[i], right[i])) << i;
}

TEST_F(CustomSteps, AStepThatRepeatsTheDefaultOneHasItsBits) {
  const Tensor weight = test::random_tensor({20}, 3) + 2.0;
  for (const bool eagerly : {false, true}) {
    std::vector<Model> models;
    std::vector<History> histories;
    for (const bool custom : {false, true}) {
      models.push_back(seeded<CustomStep>(custom));
      models.back().compile({.optimizer = "adam",
                             .loss = "mse",
                             .metrics = {"mae"},
                             .weighted_metrics = {"mse"},
                             .run_eagerly = eagerly});
      histories.push_back(models.back().fit(
          x_, y_, {.batch_size = 8, .epochs = 3, .verbose = 0, .validation_data = {x_, y_}, .sample_weight = weight}));
    }
    expect_equal_histories(histories[1], histories[0]);
    expect_equal_weights(models[1], models[0]);
  }
}

TEST_F(CustomSteps, ClassWeightsReachTheStep) {
  const Tensor labels = Tensor::from_data<float>({4}, {0, 1, 1, 0});
  class Weights final : public FunctionalImpl {
   public:
    using FunctionalImpl::FunctionalImpl;
    std::string class_name() const override { return "Weights"; }
    StepLogs train_step(const StepData& data) override { return {{"weights", data.sample_weight.at(0)}}; }
  };
  const auto model = make_model<Weights>(perceptron());
  model.compile();
  const History history = model.fit(
      x_.slice(0, 4), labels, {.batch_size = 4, .verbose = 0, .shuffle = false, .class_weight = {{0, 3}, {1, 5}}});
  EXPECT_THAT(history.vectors.at("weights").at(0), ElementsAre(3, 5, 5, 3));
}

/// Learns that the pairs of a batch [2, samples, features] are alike: the data are not what the model is called on.
class PairStep final : public FunctionalImpl {
 public:
  using FunctionalImpl::FunctionalImpl;
  std::string class_name() const override { return "PairStep"; }

  StepLogs train_step(const StepData& data) override {
    GradientTape tape;
    const Tensor first = invoke({data.x[0][0]}, {.training = true})[0];
    const Tensor second = invoke({data.x[0][1]}, {.training = true})[0];
    const Tensor loss = compute_loss({.y = {first}, .y_pred = {second}});
    optimizer().apply(tape.gradient(loss, trainable_variables()), trainable_variables());
    loss_tracker().update_state(loss);
    return get_metrics_result();
  }
};

TEST_F(CustomSteps, MayTakeDataOfOtherShapesThanTheInputs) {
  const Model model = seeded<PairStep>(true);
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor pairs = test::random_tensor({4, 10, 3}, 1);
  const History history = model.fit(datasets::from_tensor_slices(pairs).batch(2), {.epochs = 3, .verbose = 0});
  EXPECT_LT(history["loss"].back(), history["loss"].front());
  // The default steps call the model on the data, which it refuses.
  EXPECT_THAT(message_of<ValueError>([&] { model.predict(pairs, {.verbose = 0}); }),
              HasSubstr("is incompatible with the layer: expected shape=(None, 3), found shape=(4, 10, 3)"));
}

TEST_F(CustomSteps, LossAloneIsThatOfEvaluateToo) {
  const auto model = make_model<CustomLoss>(perceptron());
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const callbacks::Logs logs = model.evaluate(x_, y_, {.batch_size = 20, .verbose = 0});
  const Tensor y_pred = model(x_);
  const double penalty = (mean(abs(y_pred)) * mean(square(x_))).item();
  EXPECT_NEAR(logs.at("penalty"), penalty, 1e-6);
  EXPECT_NEAR(logs.at("loss"), mean(square(y_ - y_pred)).item() + 0.1 * penalty, 1e-6);
  EXPECT_THAT(model.metrics_names(), ElementsAre("loss", "penalty"));
}

/// Its logs are the number of its steps in the epoch and a random number.
class CountingModel final : public ModelImpl {
 public:
  std::string class_name() const override { return "CountingModel"; }
  StepLogs train_step(const StepData& data) override {
    steps_.update_state(Tensor::scalar(1.0f));
    return {{"steps", steps_.result()},
            {"samples", Tensor::scalar(static_cast<float>(data.x[0].shape()[0]))},
            {"random", random::normal({}, {.seed = seeds_})}};
  }
  StepLogs test_step(const StepData& data) override { return {{"test", sum(data.x[0])}}; }

 private:
  metrics::Sum steps_ = track("steps", metrics::Sum({.name = "steps"}));
  random::SeedGenerator seeds_ = track("seeds", random::SeedGenerator(7));
};

TEST_F(CustomSteps, TrackersStartAtZeroInEachEpochAndRandomNumbersAreNewInEachStep) {
  for (const bool eagerly : {false, true}) {
    const auto model = make_model<CountingModel>();
    model.compile({.run_eagerly = eagerly});
    std::set<double> numbers;
    const History history = model.fit(
        x_, {},
        {.batch_size = 5,
         .epochs = 2,
         .verbose = 0,
         .callbacks = {callbacks::LambdaCallback({.on_train_batch_end = [&](std::int64_t, callbacks::Logs& logs) {
           numbers.insert(logs.at("random"));
         }})}});
    EXPECT_THAT(history["steps"], ElementsAre(4, 4));
    EXPECT_EQ(numbers.size(), 8);
  }
}

TEST_F(CustomSteps, LogsOfSeveralStepsPerExecutionAreThoseOfTheLastOne) {
  const auto model = make_model<CountingModel>();
  model.compile({.steps_per_execution = 3});
  std::vector<double> steps;
  model.fit(x_, {},
            {.batch_size = 4,
             .verbose = 0,
             .callbacks = {callbacks::LambdaCallback({.on_train_batch_end = [&](std::int64_t, callbacks::Logs& logs) {
               steps.push_back(logs.at("steps"));
             }})}});
  EXPECT_THAT(steps, ElementsAre(3, 5));
}

TEST_F(CustomSteps, TheShortLastBatchAndTheProgressBar) {
  const auto model = make_model<CountingModel>();
  model.compile();
  ::testing::internal::CaptureStdout();
  const History history = model.fit(x_, {}, {.batch_size = 8, .verbose = 2});
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(history["samples"], ElementsAre(4));
  EXPECT_THAT(text, HasSubstr(" - samples: 4.0000 - steps: 3.0000"));
}

TEST_F(CustomSteps, PipelinesValidationAndCallbacks) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "best.weights.h5").string();
  const auto model = make_model<OwnTrackers>(perceptron());
  model.compile({.optimizer = "adam"});
  const auto data = datasets::from_tensor_slices(x_, y_).batch(8);
  const History history = model.fit(
      data, {.epochs = 5,
             .verbose = 0,
             .callbacks = {callbacks::EarlyStopping({.monitor = "val_mae", .min_delta = 100, .patience = 1}),
                           callbacks::ModelCheckpoint(path, {.monitor = "val_loss", .save_weights_only = true})},
             .validation_data = {x_, y_}});
  EXPECT_EQ(history.epoch.size(), 2);  // no improvement by 100
  EXPECT_TRUE(history.history.contains("val_loss"));
  EXPECT_FALSE(history.history.contains("val_norm"));

  const auto restored = make_model<OwnTrackers>(perceptron());
  restored.load_weights(path);
  expect_equal_weights(restored, model);
}

TEST_F(CustomSteps, OptimizersOfTheModelAreInItsFilesOfWeights) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "gan.weights.h5").string();
  const Tensor real = test::random_tensor({8, 4}, 1);
  const Tensor latent = test::random_tensor({8, 2}, 2);
  const auto made = [&] {
    auto gan = make_model<Gan>();
    gan->compile(optimizers::Adam(), optimizers::SGD({.momentum = 0.9}),
                 losses::BinaryCrossentropy({.from_logits = true}));
    gan.fit({real, latent}, {}, {.verbose = 0});
    return gan;
  };
  const auto gan = made();
  gan.save_weights(path);
  const auto other = made();
  other.load_weights(path);
  gan.fit({real, latent}, {}, {.verbose = 0, .shuffle = false});
  other.fit({real, latent}, {}, {.verbose = 0, .shuffle = false});
  expect_equal_weights(other, gan);
}

TEST_F(CustomSteps, AWholeModelOfARegisteredClass) {
  saving::register_keras_serializable("Tests", "OwnTrackers", [](const io::Json& config) -> layers::Layer {
    return make_model<OwnTrackers>(FunctionalImpl::options_from_config(config));
  });
  const test::TemporaryFolder folder;
  const std::string path = (folder / "model.keras").string();
  const auto model = make_model<OwnTrackers>(perceptron());
  model.compile({.optimizer = "adam"});
  model.fit(x_, y_, {.batch_size = 8, .verbose = 0});
  model.save(path);
  const Model loaded = load_model(path);
  EXPECT_EQ(loaded.class_name(), "OwnTrackers");
  EXPECT_TRUE(same_bits(loaded.predict(x_, {.verbose = 0}), model.predict(x_, {.verbose = 0})));
  expect_equal_histories(loaded.fit(x_, y_, {.batch_size = 8, .verbose = 0, .shuffle = false}),
                         model.fit(x_, y_, {.batch_size = 8, .verbose = 0, .shuffle = false}));
  expect_equal_weights(loaded, model);
}

/// A `call` of its own, and the default steps.
class Projection final : public ModelImpl {
 public:
  explicit Projection(const layers::LayerOptions& options = {}) : ModelImpl(options) {}
  std::string class_name() const override { return "Projection"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    return {out_(dropout_(hidden_(inputs[0]), {.training = training}))};
  }

 private:
  layers::Dense hidden_ = track("hidden", layers::Dense(4, {.activation = "tanh"}));
  layers::Dropout dropout_ = track("dropout", layers::Dropout(0.1));
  layers::Dense out_ = track("out", layers::Dense(2));
};

TEST_F(CustomSteps, AnOwnCallWithTheDefaultSteps) {
  saving::register_keras_serializable("Tests", "Projection", [](const io::Json& config) -> layers::Layer {
    return make_model<Projection>(layers::LayerOptions{.name = config["name"].as_string()});
  });
  const test::TemporaryFolder folder;
  const std::string path = (folder / "model.keras").string();
  const auto model = make_model<Projection>();
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  const History history = model.fit(x_, y_, {.batch_size = 8, .epochs = 4, .verbose = 0, .validation_data = {x_, y_}});
  EXPECT_LT(history["val_loss"].back(), history["val_loss"].front());
  EXPECT_NEAR(model.evaluate(x_, y_, {.verbose = 0}).at("mae"), mean(abs(y_ - model(x_))).item(), 1e-6);
  EXPECT_EQ(model.weights().size(), 4);
  model.save(path);
  const Model loaded = load_model(path);
  EXPECT_EQ(loaded.class_name(), "Projection");
  EXPECT_TRUE(same_bits(loaded.predict(x_, {.verbose = 0}), model.predict(x_, {.verbose = 0})));
  EXPECT_EQ(loaded.optimizer().iterations().item(), 12);
}

/// A class whose training step is `Step`.
template <class Step>
class WithStep final : public FunctionalImpl {
 public:
  explicit WithStep(const ModelOptions& options) : FunctionalImpl(options) {}
  std::string class_name() const override { return "WithStep"; }
  StepLogs train_step(const StepData& data) override { return Step()(*this, data); }
};

struct StepWithoutLogs {
  StepLogs operator()(ModelImpl& /*model*/, const StepData& /*data*/) const { return {}; }
};
struct StepWithoutGradient {
  StepLogs operator()(ModelImpl& model, const StepData& data) const {
    GradientTape tape;
    const Tensor loss = mean(data.y[0]);
    model.optimizer().apply(tape.gradient(loss, model.trainable_variables()), model.trainable_variables());
    return {{"loss", loss}};
  }
};
struct StepThatReadsValues {
  StepLogs operator()(ModelImpl& /*model*/, const StepData& data) const {
    return {{"loss", Tensor::scalar(static_cast<float>(mean(data.y[0]).item()))}};
  }
};
struct StepThatLogsAMatrix {
  StepLogs operator()(ModelImpl& /*model*/, const StepData& data) const { return {{"loss", data.y[0]}}; }
};

template <class Step, class E>
std::string error_of_fit() {
  const auto model = make_model<WithStep<Step>>(perceptron());
  model.compile();
  return message_of<E>([&] {
    model.fit(Tensor::full({4, 3}, 1.0, float32), Tensor::full({4, 2}, 1.0, float32), {.verbose = 0});
  });
}

TEST_F(CustomSteps, Errors) {
  EXPECT_THAT((error_of_fit<StepWithoutLogs, ValueError>()),
              HasSubstr("`train_step` of model 'with_step' returned no logs"));
  EXPECT_THAT((error_of_fit<StepWithoutGradient, ValueError>()), HasSubstr("No gradients provided for any variable"));
  EXPECT_THAT((error_of_fit<StepThatReadsValues, RuntimeError>()),
              HasSubstr("The values of a tensor are not available while the model is being compiled into a graph"));
  EXPECT_THAT((error_of_fit<StepThatLogsAMatrix, ValueError>()), HasSubstr("a tensor of shape (4, 2) as 'loss'"));
  const auto model = make_model<CustomStep>(perceptron());
  EXPECT_THAT(message_of<ValueError>([&] { model.fit(x_, y_, {.verbose = 0}); }),
              HasSubstr("You must call `compile()` before using the model."));
  model.compile();
  EXPECT_THAT(message_of<ValueError>([&] { model.fit(x_, y_, {.verbose = 0}); }), HasSubstr("No loss to compute."));
  const auto gan = make_model<Gan>();
  EXPECT_THAT(message_of<NotImplementedError>([&] { gan.predict(x_, {.verbose = 0}); }),
              HasSubstr("does not have a `call()` method implemented"));
}

TEST_F(CustomSteps, WhatAClassOverrides) {
  const training::StepOverrides step = overrides_of<CustomStep>();
  EXPECT_TRUE(step.train_step);
  EXPECT_FALSE(step.test_step || step.predict_step || step.compute_loss || step.compute_metrics || step.metrics);
  EXPECT_TRUE(overrides_of<CustomLoss>().compute_loss);
  EXPECT_FALSE(overrides_of<CustomLoss>().train_step);
  EXPECT_TRUE(overrides_of<OwnTrackers>().metrics);
  EXPECT_FALSE(overrides_of<FunctionalImpl>().has_any());
}

/// Its steps call it on two tensors, of which the data have one.
class OnTwoTensors final : public ModelImpl {
 public:
  std::string class_name() const override { return "OnTwoTensors"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {dense_(inputs.at(0) * inputs.at(1))};
  }

  StepLogs train_step(const StepData& data) override {
    GradientTape tape;
    const std::vector<Tensor> y_pred = invoke({data.x[0], data.x[0]}, {.training = true});
    const Tensor loss = compute_loss({.y = data.y, .y_pred = y_pred});
    optimizer().apply(tape.gradient(loss, trainable_variables()), trainable_variables());
    return compute_metrics({.x = data.x, .y = data.y, .y_pred = y_pred});
  }
  StepLogs test_step(const StepData& data) override {
    return compute_metrics({.x = data.x, .y = data.y, .y_pred = invoke({data.x[0], data.x[0]}, {.training = false})});
  }

 private:
  layers::Dense dense_ = track("dense", layers::Dense(2));
};

TEST_F(CustomSteps, CallbacksFindTheDirectionOfMetricsThatTheFirstStepMakes) {
  const auto fit = [&](const std::string& monitor) {
    const auto model = make_model<OnTwoTensors>();
    model.compile({.loss = "mse", .metrics = {metrics::MeanAbsoluteError({.name = "error"})}});
    return model.fit(x_, y_,
                     {.epochs = 4,
                      .verbose = 0,
                      .callbacks = {callbacks::EarlyStopping({.monitor = monitor, .min_delta = 100, .patience = 1})},
                      .validation_split = 0.5});
  };
  EXPECT_EQ(fit("val_error").epoch.size(), 2);
  EXPECT_THAT(message_of<ValueError>([&] { fit("val_mistakes"); }), HasSubstr("isn't able to automatically determine"));
}

}  // namespace
}  // namespace rhyton::models
