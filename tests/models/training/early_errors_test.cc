// Invalid arguments are reported by `compile`, or before the first step of `fit` and `predict`, not after the work.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/model_checkpoint.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/models/golden_models.h>
#include <rhyton/tests/models/training/small_models.h>

namespace rhyton::models {
namespace {

using layers::Dense;
using layers::Input;
using layers::SymbolicTensor;
using ::testing::AllOf;
using ::testing::HasSubstr;
using tests::message_of;

/// Counts the batches that were begun.
class BatchCounter final : public callbacks::CallbackImpl {
 public:
  explicit BatchCounter(int& batches) : batches_(batches) {}
  void on_train_batch_begin(callbacks::TrainingControl&, std::int64_t, callbacks::Logs&) override { ++batches_; }
  void on_predict_batch_begin(callbacks::TrainingControl&, std::int64_t, callbacks::Logs&) override { ++batches_; }

 private:
  int& batches_;
};

class EarlyErrors : public ::testing::Test {
 protected:
  callbacks::Callback counter() { return callbacks::make_callback<BatchCounter>(batches_); }

  static Model two_outputs() {
    const SymbolicTensor x = Input({.shape = {1}});
    Model model({.inputs = x, .outputs = {Dense(1, {.name = "a"})(x), Dense(1, {.name = "b"})(x)}});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    return model;
  }

  const Tensor x_ = column({1, 2, 3, 4});
  const Tensor y_ = column({2, 4, 6, 8});
  int batches_ = 0;
  tests::TemporaryFolder folder_;
};

TEST_F(EarlyErrors, UnknownMetricsAreFoundByCompile) {
  const std::string message = "Could not interpret metric identifier: nonsense";
  const Sequential model = linear_model();
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"mae"}});
  EXPECT_EQ(message_of<ValueError>([&] { model.compile({.loss = "mse", .metrics = {"mae", "nonsense"}}); }), message);
  EXPECT_EQ(message_of<ValueError>([&] { model.compile({.loss = "mse", .weighted_metrics = {"nonsense"}}); }), message);
  const std::vector<MetricsArgument::List> lists = {{"mae"}, {"accuracy", "nonsense"}};
  EXPECT_EQ(message_of<ValueError>([&] { two_outputs().compile({.loss = "mse", .metrics = lists}); }), message);
  const std::map<std::string, MetricsArgument::List> map = {{"a", {"acc"}}, {"b", {"nonsense"}}};
  EXPECT_EQ(message_of<ValueError>([&] { two_outputs().compile({.loss = "mse", .metrics = map}); }), message);
  // The model is compiled as before.
  EXPECT_TRUE(model.fit(x_, y_, {.verbose = 0}).history.contains("mae"));
  // All of Keras's names of metrics are accepted.
  model.compile({.loss = "mse", .metrics = {"accuracy", "ACC", "mse", "MeanAbsoluteError", "kl_divergence"}});
}

TEST_F(EarlyErrors, AMetricThatOnlyKerasHasIsCalledThat) {
  EXPECT_EQ(message_of<ValueError>([&] { linear_model().compile({.loss = "mse", .metrics = {"auc"}}); }),
            "Could not interpret metric identifier: auc. Keras has this metric, Rhyton has not.");
}

TEST_F(EarlyErrors, AModelThatCannotBeSavedIsFoundBeforeTheFirstStepOfATrainingThatSavesIt) {
  Sequential model(
      {Input({.shape = {1}}), Dense(1, {.activation = [](const Tensor& x) { return x * 2.0; }, .name = "doubled"})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const std::string path = (folder_.path() / "model.keras").string();
  const std::string message = message_of<ValueError>([&] {
    model.fit(x_, y_, {.verbose = 0, .callbacks = {counter(), callbacks::ModelCheckpoint(path)}});
  });
  EXPECT_THAT(message, AllOf(HasSubstr("cannot be serialized"), HasSubstr("layer 'doubled'")));
  EXPECT_EQ(batches_, 0);
  EXPECT_EQ(message_of<ValueError>([&] { model.save(path); }), message);
  // Its weights can be saved.
  const std::string weights = (folder_.path() / "model.weights.h5").string();
  model.fit(x_, y_, {.verbose = 0, .callbacks = {callbacks::ModelCheckpoint(weights, {.save_weights_only = true})}});
  EXPECT_TRUE(std::filesystem::exists(weights));
}

TEST_F(EarlyErrors, APlaceWhereNothingCanBeSavedIsFoundBeforeTheFirstStep) {
  const Sequential model = linear_model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto fit_saving_to = [&](const std::filesystem::path& path) {
    model.fit(x_, y_, {.verbose = 0, .callbacks = {counter(), callbacks::ModelCheckpoint(path.string())}});
  };
  std::filesystem::create_directory(folder_.path() / "folder.keras");
  EXPECT_THAT(message_of<IOError>([&] { fit_saving_to(folder_.path() / "folder.keras"); }),
              HasSubstr("Filepath used is an existing directory: "));
  tests::put((folder_.path() / "file").string(), "no folder");
  EXPECT_THAT(message_of<IOError>([&] { fit_saving_to(folder_.path() / "file" / "model.keras"); }),
              HasSubstr("Cannot make the folder"));
  EXPECT_EQ(batches_, 0);
}

TEST_F(EarlyErrors, AnotherNumberOfTargetsThanOutputs) {
  const Sequential model = linear_model();
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto fit = [&](const training::Tensors& y, const ValidationData& validation = {}) {
    model.fit(x_, y, {.verbose = 0, .callbacks = {counter()}, .validation_data = validation});
  };
  const std::string message = "y_true and y_pred have different structures.\ny_true: ['*', '*']\ny_pred: *\n";
  EXPECT_EQ(message_of<ValueError>([&] { fit({y_, y_}); }), message);
  EXPECT_EQ(message_of<ValueError>([&] { fit(y_, {x_, {y_, y_}}); }), message);
  EXPECT_THAT(message_of<ValueError>([&] { fit(y_, {x_, {}}); }), HasSubstr("`validation_data` has no targets"));
  EXPECT_EQ(batches_, 0);
}

TEST_F(EarlyErrors, PredictGivesOneOutputAndSaysSoBeforeItComputesSeveral) {
  const Model model = two_outputs();
  EXPECT_THAT(message_of<ValueError>([&] { model.predict(x_, {.verbose = 0, .callbacks = {counter()}}); }),
              HasSubstr("has 2 outputs: `predict` gives one, `predict_many` gives all."));
  EXPECT_EQ(batches_, 0);
}

}  // namespace
}  // namespace rhyton::models
