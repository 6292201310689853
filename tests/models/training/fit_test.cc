// Data, epochs, sample weights and callbacks in `fit`.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton::models {
namespace {

using callbacks::Logs;
using test::random_tensor;
using test::same_bits;

// Zeros as x, so that a model with weights 0 predicts 0 and the losses are those of y alone.
const Tensor five_zeros = Tensor::zeros({5, 1});
const Tensor five_targets = column({1, 2, 3, 4, 10});

TEST(Fit, ReturnsAHistoryOfAllEpochs) {
  const Sequential model = linear_model();
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse", .metrics = {"mae"}});
  const History history =
      model.fit(five_zeros, five_targets,
                // In another order the sums would round differently.
                {.epochs = 3, .verbose = 0, .validation_data = {five_zeros, five_targets}, .shuffle = false});
  EXPECT_EQ(history.epoch, (std::vector<int>{0, 1, 2}));
  ASSERT_EQ(history.history.size(), 4);
  for (const char* const name : {"loss", "mae", "val_loss", "val_mae"}) EXPECT_EQ(history[name].size(), 3) << name;
  // It learns: each epoch is better, and validation uses the state after the epoch.
  EXPECT_LT(history["loss"][1], history["loss"][0]);
  EXPECT_LT(history["val_loss"][0], history["loss"][0]);
  EXPECT_DOUBLE_EQ(history["val_loss"][0], history["loss"][1]);
}

TEST(Fit, CountsTheLastShortBatchByItsSize) {
  const Sequential model = linear_model();
  model.compile(standing_still("mse", {"mae"}));
  const History history = model.fit(five_zeros, five_targets, {.batch_size = 2, .verbose = 0});
  EXPECT_FLOAT_EQ(static_cast<float>(history["loss"][0]), (1 + 4 + 9 + 16 + 100) / 5.0F);
  EXPECT_FLOAT_EQ(static_cast<float>(history["mae"][0]), 4.0F);
}

TEST(Fit, IsGradientDescentOnALine) {
  const std::vector<float> x = {0.5F, -1.0F, 2.0F, 0.25F, -0.75F};
  const std::vector<float> y = {1.0F, 0.0F, 2.5F, -0.5F, 1.5F};
  const double rate = 0.1;
  double slope = 0.3;
  double offset = -0.2;
  std::vector<double> losses;
  for (int epoch = 0; epoch < 3; ++epoch) {
    double total = 0;
    for (std::size_t first = 0; first < x.size(); first += 2) {
      const std::size_t last = std::min(first + 2, x.size());
      const auto count = static_cast<double>(last - first);
      double slope_gradient = 0;
      double offset_gradient = 0;
      for (std::size_t i = first; i < last; ++i) {
        const double error = slope * x[i] + offset - y[i];
        total += error * error;
        slope_gradient += 2 * error * x[i] / count;
        offset_gradient += 2 * error / count;
      }
      slope -= rate * slope_gradient;
      offset -= rate * offset_gradient;
    }
    losses.push_back(total / static_cast<double>(x.size()));
  }

  for (const bool eagerly : {false, true}) {
    const Sequential model = linear_model(0.3F, -0.2F);
    model.compile({.optimizer = optimizers::SGD({.learning_rate = rate}), .loss = "mse", .run_eagerly = eagerly});
    const History history =
        model.fit(column(x), column(y), {.batch_size = 2, .epochs = 3, .verbose = 0, .shuffle = false});
    for (std::size_t epoch = 0; epoch < losses.size(); ++epoch) {
      EXPECT_NEAR(history["loss"][epoch], losses[epoch], 1e-6) << "epoch " << epoch << ", eagerly " << eagerly;
    }
    EXPECT_NEAR(model.get_weights()[0].item(), slope, 1e-6);
    EXPECT_NEAR(model.get_weights()[1].item(), offset, 1e-6);
  }
}

TEST(Fit, ValidatesOnTheLastPart) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  const History history = model.fit(five_zeros, five_targets, {.verbose = 0, .validation_split = 0.4});
  EXPECT_FLOAT_EQ(static_cast<float>(history["loss"][0]), (1 + 4 + 9) / 3.0F);
  EXPECT_FLOAT_EQ(static_cast<float>(history["val_loss"][0]), (16 + 100) / 2.0F);
}

TEST(Fit, SplitsSampleWeightsToo) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  const History history =
      model.fit(five_zeros, five_targets,
                {.verbose = 0, .validation_split = 0.4, .sample_weight = vector_of({1, 0, 2, 0.5F, 0.25F})});
  EXPECT_FLOAT_EQ(static_cast<float>(history["loss"][0]), (1 + 0 + 18) / 3.0F);
  EXPECT_FLOAT_EQ(static_cast<float>(history["val_loss"][0]), (8 + 25) / 2.0F);
}

TEST(Fit, ValidatesOnOtherData) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  const Tensor x = Tensor::zeros({3, 1});
  const Tensor y = column({1, 2, 6});
  const History plain =
      model.fit(five_zeros, five_targets, {.verbose = 0, .validation_data = {x, y}, .validation_batch_size = 2});
  EXPECT_FLOAT_EQ(static_cast<float>(plain["val_loss"][0]), 41.0F / 3);
  const History weighted =
      model.fit(five_zeros, five_targets, {.verbose = 0, .validation_data = {x, y, vector_of({1, 1, 0.5F})}});
  EXPECT_FLOAT_EQ(static_cast<float>(weighted["val_loss"][0]), 23.0F / 3);
  const History short_one =
      model.fit(five_zeros, five_targets,
                {.verbose = 0, .validation_data = {x, y}, .validation_steps = 1, .validation_batch_size = 2});
  EXPECT_FLOAT_EQ(static_cast<float>(short_one["val_loss"][0]), 2.5F);
  const History every_other =
      model.fit(five_zeros, five_targets, {.epochs = 5, .verbose = 0, .validation_data = {x, y}, .validation_freq = 2});
  EXPECT_EQ(every_other["loss"].size(), 5);
  EXPECT_EQ(every_other["val_loss"].size(), 2);
}

class FitOrder : public ::testing::Test {
 protected:
  FitOrder() : model_(linear_model()) {
    CompileOptions options = standing_still(recorder_.loss());
    options.run_eagerly = true;
    model_.compile(options);
    std::vector<float> targets;
    for (int i = 0; i < 10; ++i) targets.push_back(static_cast<float>(i));
    y_ = column(targets);
    in_order_ = y_.to_vector();
  }

  TargetRecorder recorder_;
  Sequential model_;
  Tensor x_ = Tensor::zeros({10, 1});
  Tensor y_;
  std::vector<double> in_order_;
};

TEST_F(FitOrder, ShufflesEveryEpochAnew) {
  set_random_seed(4);
  std::vector<std::vector<double>> orders;
  for (int epochs = 0; epochs < 2; ++epochs) {
    model_.fit(x_, y_, {.batch_size = 3, .verbose = 0});
    orders.push_back(recorder_.take_flat());
  }
  model_.fit(x_, y_, {.batch_size = 3, .epochs = 2, .verbose = 0});
  const std::vector<double> both = recorder_.take_flat();
  ASSERT_EQ(both.size(), 20);
  orders.emplace_back(both.begin(), both.begin() + 10);
  orders.emplace_back(both.begin() + 10, both.end());
  for (std::size_t i = 0; i < orders.size(); ++i) {
    EXPECT_NE(orders[i], in_order_);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(orders[i], orders[j]);
    std::vector<double> sorted = orders[i];
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, in_order_);
  }
}

TEST_F(FitOrder, TheSeedDecidesTheOrder) {
  std::vector<std::vector<double>> orders;
  for (const std::uint64_t seed : {4, 4, 5}) {
    set_random_seed(seed);
    model_.fit(x_, y_, {.batch_size = 3, .verbose = 0});
    orders.push_back(recorder_.take_flat());
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_NE(orders[0], orders[2]);
}

TEST_F(FitOrder, KeepsTheOrderWithoutShuffle) {
  model_.fit(x_, y_, {.batch_size = 4, .verbose = 0, .shuffle = false});
  EXPECT_EQ(recorder_.take(), (std::vector<std::vector<double>>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}));
}

TEST_F(FitOrder, KeepsSamplesAndTargetsTogether) {
  const Sequential identity = linear_model(1, 0);
  identity.compile(standing_still());
  const History history = identity.fit(y_, y_, {.batch_size = 3, .epochs = 2, .verbose = 0});
  EXPECT_EQ(history["loss"], (std::vector<double>{0, 0}));
}

TEST_F(FitOrder, GoesOnInTheDataWithStepsPerEpoch) {
  const History history =
      model_.fit(x_, y_, {.batch_size = 4, .epochs = 3, .verbose = 0, .shuffle = false, .steps_per_epoch = 2});
  EXPECT_EQ(history.epoch.size(), 3);
  EXPECT_EQ(recorder_.take(),
            (std::vector<std::vector<double>>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}, {0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}}));
}

TEST_F(FitOrder, HasBatchesOf32) {
  const std::int64_t samples = 70;
  model_.fit(Tensor::zeros({samples, 1}), Tensor::zeros({samples, 1}), {.verbose = 0});
  std::vector<std::size_t> sizes;
  for (const auto& batch : recorder_.take()) sizes.push_back(batch.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{32, 32, 6}));
}

TEST(Fit, BeginsAtTheInitialEpoch) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  std::vector<int> begun;
  const callbacks::LambdaCallback callback({.on_epoch_begin = [&](int epoch, Logs&) { begun.push_back(epoch); }});
  const History history =
      model.fit(five_zeros, five_targets, {.epochs = 5, .verbose = 0, .callbacks = {callback}, .initial_epoch = 3});
  EXPECT_EQ(history.epoch, (std::vector<int>{3, 4}));
  EXPECT_EQ(begun, history.epoch);
  EXPECT_TRUE(model.fit(five_zeros, five_targets, {.epochs = 2, .verbose = 0, .initial_epoch = 2}).epoch.empty());
}

/// A convolutional network with dropout, trained from that seed.
std::vector<Tensor> trained_weights(std::uint64_t seed, int threads) {
  const test::ThreadCount scope(threads);
  set_random_seed(seed);
  const Sequential model({layers::Input({.shape = {8, 8, 1}}), layers::Conv2D(4, {3, 3}, {.activation = "relu"}),
                          layers::MaxPooling2D({2, 2}), layers::Flatten(), layers::Dropout(0.25), layers::Dense(3)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 50; ++i) labels.push_back(i % 3);
  model.fit(random_tensor({50, 8, 8, 1}, 1), Tensor::from_data<std::int32_t>({50}, labels),
            {.batch_size = 16, .epochs = 3, .verbose = 0});
  return copies_of_weights(model);
}

TEST(Fit, ASeedGivesTheSameBitsForAnyNumberOfThreads) {
  const std::vector<Tensor> weights = trained_weights(7, 1);
  for (const int threads : {1, 2, 3}) EXPECT_TRUE(same_bits(trained_weights(7, threads), weights)) << threads;
  EXPECT_FALSE(same_bits(trained_weights(8, 1), weights));
}

/// Records the hooks that are called.
class HookRecorder final : public callbacks::CallbackImpl {
 public:
  HookRecorder(std::string name, std::vector<std::string>& calls) : name_(std::move(name)), calls_(calls) {}

  using Control = callbacks::TrainingControl;
  void on_train_begin(Control&, Logs&) override { add("train_begin"); }
  void on_train_end(Control&, Logs& logs) override { add("train_end" + keys(logs)); }
  void on_test_begin(Control&, Logs&) override { add("test_begin"); }
  void on_test_end(Control&, Logs& logs) override { add("test_end" + keys(logs)); }
  void on_predict_begin(Control&, Logs&) override { add("predict_begin"); }
  void on_predict_end(Control&, Logs&) override { add("predict_end"); }
  void on_epoch_begin(Control&, int epoch, Logs&) override { add("epoch_begin " + std::to_string(epoch)); }
  void on_epoch_end(Control&, int epoch, Logs& logs) override {
    add("epoch_end " + std::to_string(epoch) + keys(logs));
  }
  void on_train_batch_begin(Control&, std::int64_t batch, Logs&) override {
    add("train_batch_begin " + std::to_string(batch));
  }
  void on_train_batch_end(Control&, std::int64_t batch, Logs& logs) override {
    add("train_batch_end " + std::to_string(batch) + keys(logs));
  }
  void on_test_batch_begin(Control&, std::int64_t batch, Logs&) override {
    add("test_batch_begin " + std::to_string(batch));
  }
  void on_test_batch_end(Control&, std::int64_t batch, Logs& logs) override {
    add("test_batch_end " + std::to_string(batch) + keys(logs));
  }
  void on_predict_batch_begin(Control&, std::int64_t batch, Logs&) override {
    add("predict_batch_begin " + std::to_string(batch));
  }
  void on_predict_batch_end(Control&, std::int64_t batch, Logs&) override {
    add("predict_batch_end " + std::to_string(batch));
  }

 private:
  void add(const std::string& call) { calls_.push_back(name_ + call); }
  static std::string keys(const Logs& logs) {
    std::string text;
    for (const auto& [name, unused] : logs) text += " " + name;
    return text;
  }

  std::string name_;
  std::vector<std::string>& calls_;
};

TEST(FitCallbacks, AreCalledInKerassOrder) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  std::vector<std::string> calls;
  const callbacks::Callback callback = callbacks::make_callback<HookRecorder>("", calls);
  model.fit(five_zeros, five_targets,
            {.batch_size = 3,
             .epochs = 2,
             .verbose = 0,
             .callbacks = {callback},
             .validation_data = {five_zeros, five_targets},
             .validation_freq = 2});
  EXPECT_EQ(calls, (std::vector<std::string>{
                       "train_begin",    //
                       "epoch_begin 0",  //
                       "train_batch_begin 0",
                       "train_batch_end 0 loss",  //
                       "train_batch_begin 1",
                       "train_batch_end 1 loss",  //
                       "epoch_end 0 loss",        //
                       "epoch_begin 1",           //
                       "train_batch_begin 0",
                       "train_batch_end 0 loss",  //
                       "train_batch_begin 1",
                       "train_batch_end 1 loss",  //
                       "test_begin",              //
                       "test_batch_begin 0",
                       "test_batch_end 0 loss",  //
                       "test_batch_begin 1",
                       "test_batch_end 1 loss",      //
                       "test_end loss",              //
                       "epoch_end 1 loss val_loss",  //
                       "train_end loss val_loss",
                   }));
}

TEST(FitCallbacks, AreCalledByEvaluateAndPredict) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  std::vector<std::string> calls;
  const callbacks::Callback callback = callbacks::make_callback<HookRecorder>("", calls);
  model.evaluate(five_zeros, five_targets, {.batch_size = 3, .verbose = 0, .callbacks = {callback}});
  EXPECT_EQ(calls, (std::vector<std::string>{"test_begin", "test_batch_begin 0", "test_batch_end 0 loss",
                                             "test_batch_begin 1", "test_batch_end 1 loss", "test_end loss"}));
  calls.clear();
  model.predict(five_zeros, {.batch_size = 4, .verbose = 0, .callbacks = {callback}});
  EXPECT_EQ(calls, (std::vector<std::string>{"predict_begin", "predict_batch_begin 0", "predict_batch_end 0",
                                             "predict_batch_begin 1", "predict_batch_end 1", "predict_end"}));
}

TEST(FitCallbacks, AreCalledOneAfterTheOther) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  std::vector<std::string> calls;
  model.fit(five_zeros, five_targets,
            {.verbose = 0,
             .callbacks = {callbacks::make_callback<HookRecorder>("first ", calls),
                           callbacks::make_callback<HookRecorder>("second ", calls)}});
  ASSERT_EQ(calls.size(), 12);
  for (std::size_t i = 0; i < calls.size(); i += 2) {
    EXPECT_EQ(calls[i].substr(0, 6), "first ");
    EXPECT_EQ(calls[i + 1], "second " + calls[i].substr(6));
  }
}

TEST(FitCallbacks, BatchLogsAreTheMeanSinceTheBeginningOfTheEpoch) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  std::vector<double> losses;
  const callbacks::LambdaCallback callback(
      {.on_train_batch_end = [&](std::int64_t, Logs& logs) { losses.push_back(logs.at("loss")); }});
  model.fit(five_zeros, five_targets,
            {.batch_size = 2, .epochs = 2, .verbose = 0, .callbacks = {callback}, .shuffle = false});
  EXPECT_EQ(losses, (std::vector<double>{2.5, 7.5, 26, 2.5, 7.5, 26}));
}

TEST(FitCallbacks, WhatTheyAddToTheLogsOfAnEpochStandsInTheHistory) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  const callbacks::LambdaCallback adds({.on_epoch_end = [](int epoch, Logs& logs) { logs.set("twice", 2.0 * epoch); }});
  const History history = model.fit(five_zeros, five_targets, {.epochs = 3, .verbose = 0, .callbacks = {adds}});
  EXPECT_EQ(history["twice"], (std::vector<double>{0, 2, 4}));
}

/// Stops training at a given place.
class Stopper final : public callbacks::CallbackImpl {
 public:
  Stopper(std::optional<int> epoch, std::optional<std::int64_t> batch) : epoch_(epoch), batch_(batch) {}
  void on_epoch_end(callbacks::TrainingControl& control, int epoch, Logs&) override {
    if (epoch_ == epoch) control.stop_training();
  }
  void on_train_batch_end(callbacks::TrainingControl& control, std::int64_t batch, Logs&) override {
    if (batch_ == batch) control.stop_training();
  }

 private:
  std::optional<int> epoch_;
  std::optional<std::int64_t> batch_;
};

TEST(FitCallbacks, MayStopTraining) {
  const Sequential model = linear_model();
  model.compile(standing_still());
  const auto after_epoch = callbacks::make_callback<Stopper>(1, std::nullopt);
  EXPECT_EQ(model.fit(five_zeros, five_targets, {.epochs = 9, .verbose = 0, .callbacks = {after_epoch}}).epoch,
            (std::vector<int>{0, 1}));

  std::vector<std::string> calls;
  const auto after_batch = callbacks::make_callback<Stopper>(std::nullopt, 1);
  const auto recorder = callbacks::make_callback<HookRecorder>("", calls);
  const History history =
      model.fit(five_zeros, five_targets,
                {.batch_size = 1, .epochs = 9, .verbose = 0, .callbacks = {after_batch, recorder}, .shuffle = false});
  EXPECT_EQ(history.epoch, (std::vector<int>{0}));
  EXPECT_EQ(history["loss"], (std::vector<double>{2.5}));
  ASSERT_EQ(calls.size(), 8);
  EXPECT_EQ(calls[5], "train_batch_end 1 loss");
  EXPECT_EQ(calls[6], "epoch_end 0 loss");
  EXPECT_EQ(calls[7], "train_end loss");
}

/// Sets the learning rate to 0 in epoch 2.
class RateRemover final : public callbacks::CallbackImpl {
 public:
  void on_epoch_begin(callbacks::TrainingControl& control, int epoch, Logs&) override {
    rates.push_back(control.learning_rate());
    if (epoch == 2) control.set_learning_rate(0.0);
  }
  std::vector<double> rates;
};

TEST(FitCallbacks, MaySetTheLearningRateOfTheCompiledStep) {
  const Sequential model = linear_model();
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.25}), .loss = "mse"});
  const auto remover = std::make_shared<RateRemover>();
  const History history = model.fit(five_targets, five_targets * 0.01,
                                    {.epochs = 5, .verbose = 0, .callbacks = {callbacks::Callback(remover)}});
  EXPECT_EQ(remover->rates, (std::vector<double>{0.25, 0.25, 0.25, 0, 0}));
  EXPECT_NE(history["loss"][2], history["loss"][1]);
  EXPECT_EQ(history["loss"][3], history["loss"][2]);
  EXPECT_EQ(history["loss"][4], history["loss"][2]);
}

}  // namespace
}  // namespace rhyton::models
