// The metrics that are not means of values, with states of their own.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/metrics/auc.h>
#include <rhyton/models/metrics/confusion.h>
#include <rhyton/models/metrics/correlation.h>
#include <rhyton/models/metrics/f_score.h>
#include <rhyton/models/metrics/iou.h>
#include <rhyton/models/metrics/regression.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::metrics {
namespace {

using test::expect_close;
using test::message_of;

Metric metric_of(const io::Json& golden) {
  return deserialize(io::Json::object({{"class_name", golden["class_name"]}, {"config", golden["config"]}})).metric();
}

/// That array of one of the updates; empty if there is none.
Tensor of_update(const test::GoldenArea& area, const io::Json& golden, const char* role, int number) {
  const Tensor all = area.array(golden, role);
  return all.is_empty() ? all : squeeze(slice_axis(all, 0, number, number + 1), {0});
}

TEST(StateMetrics, ResultsAndStatesAreThoseOfKeras) {
  const test::GoldenArea area("state_metrics");
  ASSERT_GT(area.cases().size(), 400U);
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const Metric metric = metric_of(golden);
    for (int i = 0; i < golden["updates"].as_int(); ++i) {
      metric.update_state(of_update(area, golden, "y_true", i), of_update(area, golden, "y_pred", i),
                          of_update(area, golden, "sample_weight", i));
      expect_close(metric.result(), of_update(area, golden, "result", i));
    }
    const std::vector<Variable>& variables = metric.variables();
    ASSERT_EQ(variables.size(), golden["variables"].size());
    for (std::size_t i = 0; i < variables.size(); ++i) {
      EXPECT_EQ(variables[i].name(), golden["variables"][i]["name"].as_string());
      EXPECT_EQ(variables[i].path(), metric.name() + "/" + variables[i].name());
      EXPECT_EQ(name_of(variables[i].dtype()), golden["variables"][i]["dtype"].as_string());
      EXPECT_FALSE(variables[i].trainable());
      expect_close(variables[i].value(), area.array(golden, "variable" + std::to_string(i)));
    }
    metric.reset_state();
    for (const Variable& variable : variables) {
      for (const double element : variable.value().to_vector()) EXPECT_EQ(element, 0.0);
    }
    const Tensor after_reset = area.array(golden, "result_after_reset");
    if (!after_reset.is_empty()) expect_close(metric.result(), after_reset);
  }
}

TEST(StateMetrics, ConfigurationsAreThoseOfKeras) {
  const test::GoldenArea area("state_metrics");
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const Metric metric = metric_of(golden);
    EXPECT_EQ(metric.name(), golden["metric_name"].as_string());
    EXPECT_EQ(metric.get_config(), golden["config"]);
    EXPECT_EQ(metric.impl()->direction(), golden["direction"].is_null() ? "" : golden["direction"].as_string());
    EXPECT_EQ(serialize(deserialize(serialize(metric))).dump(), serialize(metric).dump());
  }
}

TEST(StateMetrics, NothingLooksAtValues) {
  const test::GoldenArea area("state_metrics");
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const Metric metric = metric_of(golden);
    ShapeInferenceScope scope;
    const Tensor weight = of_update(area, golden, "sample_weight", 0);
    metric.update_state(scope.placeholder(of_update(area, golden, "y_true", 0).spec()),
                        scope.placeholder(of_update(area, golden, "y_pred", 0).spec()),
                        weight.is_empty() ? weight : scope.placeholder(weight.spec()));
    EXPECT_EQ(metric.result().shape(), of_update(area, golden, "result", 0).shape());
  }
}

TEST(StateMetrics, StringsAreThoseOfKeras) {
  context().clear_session();
  const std::vector<std::pair<std::string, std::string>> names = {
      {"AUC", "auc"},
      {"FalseNegatives", "false_negatives"},
      {"FalsePositives", "false_positives"},
      {"TrueNegatives", "true_negatives"},
      {"TruePositives", "true_positives"},
      {"Precision", "precision"},
      {"Recall", "recall"},
      {"F1Score", "f1_score"},
      {"FBetaScore", "f_beta_score"},
      {"BinaryIoU", "binary_io_u"},
      {"R2Score", "r2_score"},
      {"PearsonCorrelation", "pearson_correlation"},
      {"ConcordanceCorrelation", "concordance_correlation"}};
  for (const auto& [class_name, snake] : names) {
    EXPECT_EQ(Metric(class_name).class_name(), class_name);
    EXPECT_EQ(Metric(snake).class_name(), class_name);
  }
  EXPECT_THROW(Metric(std::string("fbeta_score")), ValueError);
  EXPECT_THROW(Metric(std::string("mean_io_u")), ValueError) << "the number of classes has no default";
  EXPECT_EQ(FBetaScore().name(), "fbeta_score");
  EXPECT_EQ(MeanIoU(2).name(), "mean_io_u");
}

TEST(StateMetrics, FunctionsAreAveragedUnderTheirNames) {
  const Tensor y_true = Tensor::from_data<float>({2, 3}, {0, 1, 0.5, 1, 1, 0.2F});
  const Tensor y_pred = Tensor::from_data<float>({2, 3}, {0.1F, 0.9F, 0.5F, 1, 0.9F, 0.2F});
  const std::function<Tensor(const Tensor&, const Tensor&)> concordance = [](const Tensor& y, const Tensor& p) {
    return concordance_correlation(y, p);
  };
  expect_close(pearson_correlation(y_true, y_pred), Tensor::from_data<float>({2}, {1.0F, 0.99339927F}));
  expect_close(concordance(y_true, y_pred), Tensor::from_data<float>({2}, {0.97560976F, 0.98765432F}));
  const PearsonCorrelation metric;
  metric.update_state(y_true, y_pred);
  EXPECT_NEAR(metric.result().item(), 0.9966996, 1e-6);
}

/// A model that returns its input.
models::Sequential identity(std::int64_t units) {
  return models::Sequential({layers::Input({.shape = {units}}), layers::Activation("linear")});
}

struct Scores {
  Tensor y_true = Tensor::from_data<float>({5, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0});
  Tensor y_pred =
      Tensor::from_data<float>({5, 3}, {.8F, .1F, .1F, .5F, .3F, .2F, .2F, .2F, .6F, .4F, .5F, .1F, .1F, .8F, .1F});
  Tensor weight = Tensor::from_data<float>({5}, {1, 0.5F, 2, 1, 0});
};

/// One of each class, with results that are numbers and vectors.
models::MetricsArgument::List of_scores() {
  return {TruePositives(),
          FalsePositives({.thresholds = {0.3, 0.5}}),
          Precision({.top_k = 1, .class_id = 0}),
          Recall({.thresholds = {0.0, 0.25, 0.5, 0.75, 1.0}}),
          PrecisionAtRecall(0.5),
          AUC({.num_thresholds = 11}),
          AUC({.curve = "PR", .multi_label = true, .name = "areas"}),
          F1Score(),
          FBetaScore({.average = "weighted", .beta = 2.0}),
          OneHotMeanIoU(3, {.dtype = "float32"}),
          R2Score({.class_aggregation = std::nullopt}),
          PearsonCorrelation()};
}

TEST(StateMetrics, CompiledStepsGiveWhatTheMetricsGive) {
  const Scores data;
  context().clear_session();
  const models::MetricsArgument::List expected = of_scores();
  for (const bool eagerly : {false, true}) {
    SCOPED_TRACE(eagerly ? "eagerly" : "compiled");
    context().clear_session();  // the same names again
    const models::Sequential model = identity(3);
    model.compile({.loss = "mse", .weighted_metrics = of_scores(), .run_eagerly = eagerly});
    const callbacks::Logs logs =
        model.evaluate(data.y_pred, data.y_true, {.batch_size = 2, .verbose = 0, .sample_weight = data.weight});
    for (const MetricArgument& argument : expected) {
      const Metric& metric = argument.metric();
      SCOPED_TRACE(metric.name());
      metric.reset_state();
      metric.update_state(data.y_true, data.y_pred, data.weight);
      const std::vector<double> elements = logs.elements(metric.name());
      const std::vector<double> wanted = metric.result().to_vector();
      ASSERT_EQ(elements.size(), wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(elements[i], wanted[i], 1e-6);
      EXPECT_EQ(logs.value(metric.name()).is_vector(), metric.result().rank() == 1);
    }
  }
}

TEST(StateMetrics, VectorsAreInTheHistoryOfFit) {
  const Scores data;
  context().clear_session();
  const models::Sequential model = identity(3);
  model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {F1Score(), "AUC"}});
  const callbacks::History history =
      model.fit(data.y_pred, data.y_true, {.epochs = 2, .verbose = 0, .validation_data = {data.y_pred, data.y_true}});
  const F1Score score;
  score.update_state(data.y_true, data.y_pred);
  const std::vector<double> wanted = score.result().to_vector();
  for (const char* name : {"f1_score", "val_f1_score"}) {
    SCOPED_TRACE(name);
    const auto& epochs = history.vectors.at(name);
    ASSERT_EQ(epochs.size(), 2U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(epochs[1][i], wanted[i], 1e-6);
    EXPECT_NEAR(history[name][1], (wanted[0] + wanted[1] + wanted[2]) / 3, 1e-6);
  }
  EXPECT_FALSE(history.vectors.contains("AUC"));
  EXPECT_GT(history["AUC"][1], 0.5);
}

TEST(StateMetrics, CustomThresholdsThatAreEvenAreCountedLikeOthers) {
  const Tensor y_true = Tensor::from_data<float>({6}, {1, 0, 1, 0, 1, 0});
  const Tensor y_pred = Tensor::from_data<float>({6}, {0, 0.25F, 0.5F, 0.75F, 1, 0.3F});
  const TruePositives even({.thresholds = {0.0, 0.25, 0.5, 0.75, 1.0}});
  const TruePositives uneven({.thresholds = {0.0, 0.25, 0.5, 0.75, 1.0, 0.9}});
  even.update_state(y_true, y_pred);
  uneven.update_state(y_true, y_pred);
  EXPECT_EQ(even.result().to_vector(), (std::vector<double>{2, 2, 1, 1, 0}));
  EXPECT_EQ(uneven.result().to_vector(), (std::vector<double>{2, 2, 1, 1, 0, 1}));
}

TEST(StateMetricErrors, OfThresholdsAndShares) {
  EXPECT_EQ(message_of<ValueError>([] {
              TruePositives({.thresholds = {0.5, 1.5, -0.25}});
            }),
            "Threshold values must be in [0, 1]. Received: [1.5, -0.25]");
  EXPECT_EQ(message_of<ValueError>([] { Precision({.thresholds = 2.0}); }),
            "Threshold values must be in [0, 1]. Received: [2.0]");
  EXPECT_EQ(message_of<ValueError>([] { SensitivityAtSpecificity(-0.5); }),
            "Argument `specificity` must be in the range [0, 1]. Received: specificity=-0.5");
  EXPECT_EQ(message_of<ValueError>([] { RecallAtPrecision(1.5); }),
            "Argument `precision` must be in the range [0, 1]. Received: precision=1.5");
  EXPECT_EQ(message_of<ValueError>([] { PrecisionAtRecall(0.5, {.num_thresholds = 0}); }),
            "Argument `num_thresholds` must be an integer > 0. Received: num_thresholds=0");
  EXPECT_EQ(message_of<ValueError>(
                [] { Recall({.class_id = 1}).update_state(Tensor::full({4}, 1.0), Tensor::full({4}, 1.0)); }),
            "When class_id is provided, y_pred must be a 2D array with shape (num_samples, num_classes), found shape: "
            "(4,)");
}

TEST(StateMetricErrors, OfAreas) {
  EXPECT_EQ(message_of<ValueError>([] { AUC({.num_thresholds = 1}); }),
            "Argument `num_thresholds` must be an integer > 1. Received: num_thresholds=1");
  EXPECT_EQ(message_of<ValueError>([] { AUC({.curve = "roc curve"}); }),
            "Invalid AUC curve value: \"roc curve\". Expected values are [\"PR\", \"ROC\", \"PRGAIN\"]");
  EXPECT_EQ(message_of<ValueError>([] { AUC({.summation_method = "mean"}); }),
            "Invalid AUC summation method value: \"mean\". Expected values are [\"interpolation\", \"majoring\", "
            "\"minoring\"]");
  EXPECT_EQ(message_of<ValueError>([] { AUC({.num_labels = 3}); }),
            "`num_labels` is needed only when `multi_label` is True.");
  EXPECT_EQ(message_of<ValueError>(
                [] { AUC({.multi_label = true}).update_state(Tensor::full({4}, 1.0), Tensor::full({4}, 1.0)); }),
            "`y_pred` must have rank 2 when `multi_label=True`. Found rank 1. Full shape received for `y_pred`: (4,)");
}

TEST(StateMetricErrors, OfScores) {
  EXPECT_EQ(message_of<ValueError>([] { F1Score({.average = "mean"}); }),
            "Invalid `average` argument value. Expected one of: {None, 'micro', 'macro', 'weighted'}. Received: "
            "average=mean");
  EXPECT_EQ(message_of<ValueError>([] { FBetaScore({.beta = 0.0}); }),
            "Invalid `beta` argument value. It should be > 0. Received: beta=0.0");
  EXPECT_EQ(message_of<ValueError>([] { F1Score({.threshold = 1.5}); }),
            "Invalid `threshold` argument value. It should verify 0 < threshold <= 1. Received: threshold=1.5");
  EXPECT_EQ(message_of<ValueError>([] {
              F1Score().update_state(Tensor::full({4}, 1.0), Tensor::full({4, 2}, 1.0));
            }),
            "FBetaScore expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
            "y_pred.shape=(4, 2) and y_true.shape=(4,).");
  EXPECT_EQ(message_of<ValueError>([] { R2Score({.class_aggregation = "mean"}); }),
            "Invalid value for argument `class_aggregation`. Expected one of (None, 'uniform_average', "
            "'variance_weighted_average'). Received: class_aggregation=mean");
  EXPECT_EQ(message_of<ValueError>([] { R2Score({.num_regressors = -1}); }),
            "Invalid value for argument `num_regressors`. Expected a value >= 0. Received: num_regressors=-1");
  EXPECT_EQ(message_of<ValueError>([] { R2Score().update_state(Tensor::full({4}, 1.0), Tensor::full({4}, 1.0)); }),
            "R2Score expects 2D inputs with shape (batch_size, output_dim). Received input shapes: y_pred.shape=(4,) "
            "and y_true.shape=(4,).");
  EXPECT_EQ(message_of<ValueError>([] { IoU(2, {0, 2}); }), "Target class id 2 is out of range, which is [0, 2).");
}

TEST(StateMetricErrors, ResultsBeforeTheShapesAreKnown) {
  for (const Metric& metric : {Metric(F1Score()), Metric(R2Score()), Metric(AUC({.multi_label = true}))}) {
    EXPECT_EQ(message_of<ValueError>([&] { metric.result(); }),
              "Cannot get result() since the metric has not yet been built.");
    EXPECT_NO_THROW(metric.reset_state());
  }
  EXPECT_EQ(AUC().result().item(), 0.0);
}

TEST(StateMetricErrors, FractionsOfWeightsAreCutOffInAnIntegerState) {
  std::vector<std::string> warnings;
  const auto previous = config::set_warning_handler([&](const std::string& message) { warnings.push_back(message); });
  const MeanIoU metric(2);
  for (int i = 0; i < 2; ++i) {
    metric.update_state(Tensor::from_data<std::int32_t>({2}, {0, 1}), Tensor::from_data<std::int32_t>({2}, {0, 1}),
                        Tensor::from_data<float>({2}, {1.75F, 0.5F}));
  }
  config::set_warning_handler(previous);
  EXPECT_EQ(metric.variables()[0].value().to_vector(), (std::vector<double>{2, 0, 0, 0}));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].starts_with("You are passing weight as `float`, but dtype is `int`."));
}

}  // namespace
}  // namespace rhyton::metrics
