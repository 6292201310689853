#include <rhyton/models/callbacks/log_order.h>

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/models/callbacks/learning_rate_scheduler.h>
#include <rhyton/models/model.h>

namespace rhyton::callbacks {
namespace {

using Names = std::vector<std::string>;

template <class Values>
Names names_of(const Values& values) {
  Names names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

const Logs logs = {{"loss", 1}, {"mae", 2}, {"a_loss", 3}, {"accuracy", 4}};

TEST(LogOrder, ByName) {
  EXPECT_EQ(names_of(sorted_by_name(logs)), (Names{"a_loss", "accuracy", "loss", "mae"}));
  EXPECT_EQ(sorted_by_name(logs)["mae"], 2);
}

TEST(LogOrder, MetricsFirstThenByName) {
  EXPECT_EQ(names_of(in_order_of_metrics(logs, {"loss", "other", "mae"})),
            (Names{"loss", "mae", "a_loss", "accuracy"}));
}

TEST(LogOrder, ValidationFollowsTraining) {
  const Logs all = with_validation({{"loss", 1}, {"learning_rate", 2}}, {{"loss", 3}, {"extra", 4}});
  EXPECT_EQ(names_of(all), (Names{"loss", "learning_rate", "val_loss", "val_extra"}));
  EXPECT_EQ(all["loss"], 1);
  EXPECT_EQ(all["val_loss"], 3);
}

TEST(LogOrder, ColumnsOfACSVLogger) {
  EXPECT_EQ(csv_columns({{"loss", 1}, {"accuracy", 2}}), (Names{"accuracy", "loss", "val_accuracy", "val_loss"}));
  EXPECT_EQ(csv_columns({{"val_loss", 1}, {"loss", 2}}), (Names{"loss", "val_loss"}));
}

TEST(ValuesByName, KeepTheOrderOfTheirAdditionHoweverManyTheyAre) {
  Logs many;
  for (int i = 20000; i > 0; --i) many.set(std::to_string(i), i);
  many.set("17", 0);
  ASSERT_EQ(many.size(), 20000U);
  EXPECT_EQ(many.begin()->first, "20000");
  EXPECT_EQ(many["17"], 0);
  EXPECT_EQ(many["16"], 16);
  EXPECT_FALSE(many.contains("0"));
  EXPECT_THROW(static_cast<void>(many.at("0")), NotFoundError);
}

TEST(History, HasTheNamesInTheOrderOfTheirFirstEpochs) {
  History history;
  history.add(3, {{"loss", 2}, {"accuracy", 0.5}});
  history.add(4, {{"accuracy", 0.75}, {"val_loss", 1}, {"loss", 1}});
  EXPECT_EQ(history.epoch, (std::vector<int>{3, 4}));
  EXPECT_EQ(names_of(history.history), (Names{"loss", "accuracy", "val_loss"}));
  EXPECT_EQ(history["accuracy"], (std::vector<double>{0.5, 0.75}));
  EXPECT_EQ(history["val_loss"], std::vector<double>{1});
}

/// A model with outputs "b" and "a", whose losses and metrics Keras 3.15 lists in the orders below.
models::Model two_outputs() {
  const layers::SymbolicTensor input = layers::Input({.shape = {3}});
  models::Model model(
      {.inputs = input, .outputs = {layers::Dense(2, {.name = "b"})(input), layers::Dense(1, {.name = "a"})(input)}});
  model.compile({.optimizer = "sgd",
                 .loss = {"mse", "mse"},
                 .metrics = std::vector<models::MetricsArgument::List>{{"mae"}, {"accuracy"}},
                 .weighted_metrics = std::vector<models::MetricsArgument::List>{{"mae"}, {}}});
  return model;
}

const Names by_name = {"a_accuracy", "a_loss", "b_loss", "b_mae", "b_weighted_mae", "loss"};

TEST(LogOrder, OfEvaluateIsKerass) {
  const models::Model model = two_outputs();
  const Tensor x = Tensor::zeros({8, 3});
  const std::vector<Tensor> y = {Tensor::zeros({8, 2}), Tensor::zeros({8, 1})};
  Names at_test_end;
  class AtTestEnd : public CallbackImpl {
   public:
    explicit AtTestEnd(Names& names) : names_(names) {}
    void on_test_end(TrainingControl&, Logs& logs) override { names_ = names_of(logs); }

   private:
    Names& names_;
  };
  const Logs results = model.evaluate(x, y, {.verbose = 0, .callbacks = {make_callback<AtTestEnd>(at_test_end)}});
  EXPECT_EQ(names_of(results), (Names{"loss", "b_loss", "a_loss", "a_accuracy", "b_mae", "b_weighted_mae"}));
  EXPECT_EQ(at_test_end, by_name);
  EXPECT_EQ(names_of(model.train_on_batch(x, y)), names_of(results));
  EXPECT_EQ(names_of(model.test_on_batch(x, y)), names_of(results));
}

TEST(LogOrder, OfFitIsKerass) {
  const models::Model model = two_outputs();
  const Tensor x = Tensor::zeros({8, 3});
  const std::vector<Tensor> y = {Tensor::zeros({8, 2}), Tensor::zeros({8, 1})};
  Names of_batch;
  Names of_epoch;
  const LambdaCallback callback({.on_epoch_end =
                                     [&](int, Logs& epoch_logs) {
                                       of_epoch = names_of(epoch_logs);
                                       epoch_logs.set("zz", 1);
                                       epoch_logs.set("aa", 2);
                                     },
                                 .on_train_batch_end = [&](std::int64_t, Logs& l) { of_batch = names_of(l); }});
  const LearningRateScheduler schedule([](int, double rate) { return rate; });
  const History history = model.fit(x, y, {.verbose = 0, .callbacks = {callback, schedule}, .validation_data = {x, y}});
  EXPECT_EQ(of_batch, by_name);
  Names expected = by_name;
  for (const std::string& name : by_name) expected.push_back("val_" + name);
  EXPECT_EQ(of_epoch, expected);
  expected.insert(expected.end(), {"zz", "aa", "learning_rate"});
  EXPECT_EQ(names_of(history.history), expected);
}

}  // namespace
}  // namespace rhyton::callbacks
