// Invalid arguments are reported by `compile`, or before the first step of `fit` and `predict`, not after the work.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/early_stopping.h>
#include <rhyton/models/callbacks/model_checkpoint.h>
#include <rhyton/models/callbacks/reduce_lr_on_plateau.h>
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
using test::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Counts the batches that were begun.
class BatchCounter final : public callbacks::CallbackImpl {
 public:
  explicit BatchCounter(int& batches) : batches_(batches) {}
  void on_train_batch_begin(callbacks::TrainingControl&, std::int64_t, callbacks::Logs&) override { ++batches_; }
  void on_predict_batch_begin(callbacks::TrainingControl&, std::int64_t, callbacks::Logs&) override { ++batches_; }

 private:
  int& batches_;
};

/// Runs eagerly only.
class ReadsValues final : public layers::LayerImpl {
 public:
  ReadsValues() : LayerImpl(layers::LayerOptions{}) {}
  std::string class_name() const override { return "ReadsValues"; }
  std::vector<TensorSpec> compute_output_specs(const std::vector<TensorSpec>& inputs) override { return inputs; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {inputs[0] * static_cast<double>(!inputs[0].to_vector().empty())};
  }
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
  test::TemporaryFolder folder_;
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
  test::put((folder_.path() / "file").string(), "no folder");
  EXPECT_THAT(message_of<IOError>([&] { fit_saving_to(folder_.path() / "file" / "model.keras"); }),
              HasSubstr("Cannot create the folder"));
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

TEST_F(EarlyErrors, ValidationDataThatTheModelOrItsLossCannotTake) {
  const Sequential model = linear_model();
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const auto fit = [&](const ValidationData& validation, const Tensor& y) {
    model.fit(x_, y, {.verbose = 0, .callbacks = {counter()}, .validation_data = validation});
  };
  const auto message = [&](const ValidationData& validation, const Tensor& y) {
    return message_of<ValueError>([&] { fit(validation, y); });
  };
  const Tensor labels = Tensor::zeros({4}, DType::int32);
  const Tensor wide = Tensor::zeros({4, 3});
  // What the step itself says, with the samples of a batch.
  const std::string of_targets = message_of<ValueError>([&] { model.evaluate(x_, wide, {.verbose = 0}); });
  ASSERT_THAT(of_targets, HasSubstr("(4, 3)"));
  EXPECT_EQ(message({x_, wide}, labels), "`validation_data` does not fit the model: " + of_targets);
  const std::string of_inputs = message_of<ValueError>([&] { model.evaluate(wide, labels, {.verbose = 0}); });
  ASSERT_THAT(of_inputs, HasSubstr("expected axis -1 of input shape to have value 1"));
  EXPECT_EQ(message({wide, labels}, labels), "`validation_data` does not fit the model: " + of_inputs);
  EXPECT_EQ(batches_, 0);
  EXPECT_NO_THROW(fit({x_, labels}, labels));
  EXPECT_EQ(batches_, 1);
}

TEST_F(EarlyErrors, ValidationTargetsOfOneOfSeveralLosses) {
  const Model model = two_outputs();
  const std::map<std::string, losses::Loss> losses = {{"a", "mse"}, {"b", "sparse_categorical_crossentropy"}};
  model.compile({.optimizer = "sgd", .loss = losses});
  const Tensor labels = Tensor::zeros({4}, DType::int32);
  EXPECT_THAT(message_of<ValueError>([&] {
                model.fit(
                    x_, {y_, labels},
                    {.verbose = 0, .callbacks = {counter()}, .validation_data = {x_, {y_, Tensor::zeros({4, 3})}}});
              }),
              HasSubstr("`validation_data` does not fit the model: "));
  EXPECT_EQ(batches_, 0);
}

// The step may read values then, and nothing can be told of it without them.
TEST_F(EarlyErrors, ALossThatReadsValuesIsNotAskedBefore) {
  const Sequential model = linear_model();
  const auto mean_of_values = [](const Tensor& y_true, const Tensor& y_pred) {
    EXPECT_FALSE(y_true.to_vector().empty());
    return y_pred * 0.0;
  };
  model.compile({.optimizer = "sgd", .loss = losses::Loss(mean_of_values), .run_eagerly = true});
  EXPECT_EQ(model.fit(x_, y_, {.verbose = 0, .validation_data = {x_, y_}}).history.count("val_loss"), 1u);
}

TEST_F(EarlyErrors, AMonitorThatDoesNotSayWhichWayIsBetter) {
  const Sequential model = linear_model();
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"accuracy"}});
  const auto fit = [&](const callbacks::Callback& callback) {
    model.fit(x_, y_, {.verbose = 0, .callbacks = {counter(), callback}});
  };
  const auto message = [&](const callbacks::Callback& callback) {
    return message_of<ValueError>([&] { fit(callback); });
  };
  const std::string path = (folder_.path() / "model.keras").string();
  const std::string rest =
      " callback received monitor=val_score, but Keras isn't able to automatically determine whether that metric "
      "should be maximized or minimized. Pass `mode='max'` in order to monitor based on the highest metric value, or "
      "pass `mode='min'` in order to use the lowest value.";
  EXPECT_EQ(message(callbacks::EarlyStopping({.monitor = "val_score"})), "EarlyStopping" + rest);
  EXPECT_EQ(message(callbacks::ModelCheckpoint(path, {.monitor = "val_score"})), "ModelCheckpoint" + rest);
  EXPECT_EQ(message(callbacks::ReduceLROnPlateau({.monitor = "val_score"})), "ReduceLROnPlateau" + rest);
  EXPECT_EQ(batches_, 0);
  // Metrics that the first step used to make are known before it.
  EXPECT_NO_THROW(fit(callbacks::EarlyStopping({.monitor = "accuracy"})));
  EXPECT_NO_THROW(fit(callbacks::EarlyStopping({.monitor = "val_accuracy"})));
  EXPECT_NO_THROW(fit(callbacks::EarlyStopping({.monitor = "score", .mode = "max"})));
  EXPECT_EQ(batches_, 3);
}

TEST_F(EarlyErrors, AMonitorOfAModelThatReadsValuesIsAskedAfterTheFirstEpoch) {
  const Sequential model({Input({.shape = {1}}), Dense(1), layers::make_layer<ReadsValues>()});
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"accuracy"}, .run_eagerly = true});
  const auto fit = [&](const char* monitor) {
    model.fit(x_, y_, {.verbose = 0, .callbacks = {counter(), callbacks::EarlyStopping({.monitor = monitor})}});
  };
  EXPECT_THAT(message_of<ValueError>([&] { fit("score"); }), HasSubstr("callback received monitor=score"));
  EXPECT_EQ(batches_, 1);
  fit("accuracy");
  EXPECT_EQ(batches_, 2);
}

TEST_F(EarlyErrors, PredictGivesOneOutputAndSaysSoBeforeItComputesSeveral) {
  const Model model = two_outputs();
  EXPECT_THAT(message_of<ValueError>([&] { model.predict(x_, {.verbose = 0, .callbacks = {counter()}}); }),
              HasSubstr("has 2 outputs: `predict` gives one, `predict_many` gives all."));
  EXPECT_EQ(batches_, 0);
}

}  // namespace
}  // namespace rhyton::models
