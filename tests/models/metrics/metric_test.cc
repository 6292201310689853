#include <rhyton/models/metrics/metric.h>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/losses/loss.h>
#include <rhyton/models/metrics/accuracy.h>
#include <rhyton/models/metrics/crossentropy.h>
#include <rhyton/models/metrics/reduction.h>
#include <rhyton/models/metrics/regression.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::metrics {
namespace {

using test::keras_message;
using test::message_of;

const Tensor y_true = Tensor::from_data<float>({2, 2}, {1, 0, 0, 1});
const Tensor y_pred = Tensor::from_data<float>({2, 2}, {0.75, 0.25, 0.5, 0.5});

/// A custom metric.
class Largest final : public MetricImpl {
 public:
  explicit Largest(const MetricOptions& options = {})
      : MetricImpl("Largest", options), largest_(add_variable({}, "largest")) {}

  void update_state(const Tensor& truth, const Tensor& predicted, const Tensor& /*sample_weight*/) override {
    largest_.assign(maximum(largest_.value(), max(abs(truth - predicted))));
  }
  Tensor result() const override { return largest_.value(); }

 private:
  Variable largest_;
};

TEST(Metric, MeansOfLossesAreThoseOfTheLosses) {
  for (const char* name :
       {"mse", "mae", "mape", "msle", "MSE", "MAE", "MAPE", "MSLE", "bce", "BCE", "mean_absolute_percentage_error",
        "mean_squared_logarithmic_error", "hinge", "squared_hinge", "categorical_hinge", "kl_divergence", "poisson"}) {
    SCOPED_TRACE(name);
    const Metric metric{std::string(name)};
    metric.update_state(y_true, y_pred);
    EXPECT_FLOAT_EQ(static_cast<float>(metric.result().item()),
                    static_cast<float>(losses::Loss(name)(y_true, y_pred).item()));
    EXPECT_EQ(serialize(metric), io::Json(name));
  }
  const LogCoshError log_cosh;
  EXPECT_EQ(log_cosh.name(), "logcosh");
  log_cosh.update_state(y_true, y_pred);
  EXPECT_NEAR(log_cosh.result().item(), losses::Loss("log_cosh")(y_true, y_pred).item(), 1e-7);
  const CosineSimilarity cosine;
  cosine.update_state(y_true, y_pred);
  EXPECT_NEAR(cosine.result().item(), -losses::Loss("cosine_similarity")(y_true, y_pred).item(), 1e-7);
}

TEST(Metric, NamesAreClassesSnakesAndAliases) {
  for (const char* name : {"Mean",
                           "Sum",
                           "MeanSquaredError",
                           "RootMeanSquaredError",
                           "MeanAbsoluteError",
                           "MeanAbsolutePercentageError",
                           "MeanSquaredLogarithmicError",
                           "LogCoshError",
                           "CosineSimilarity",
                           "Hinge",
                           "SquaredHinge",
                           "CategoricalHinge",
                           "KLDivergence",
                           "Poisson",
                           "BinaryCrossentropy",
                           "CategoricalCrossentropy",
                           "SparseCategoricalCrossentropy",
                           "Accuracy",
                           "BinaryAccuracy",
                           "CategoricalAccuracy",
                           "SparseCategoricalAccuracy",
                           "TopKCategoricalAccuracy",
                           "SparseTopKCategoricalAccuracy"}) {
    EXPECT_EQ(Metric(std::string(name)).class_name(), name);
  }
  EXPECT_EQ(Metric(std::string("kl_divergence")).class_name(), "KLDivergence");
  EXPECT_EQ(Metric(std::string("top_k_categorical_accuracy")).class_name(), "TopKCategoricalAccuracy");
  EXPECT_EQ(Metric(std::string("root_mean_squared_error")).class_name(), "RootMeanSquaredError");
  EXPECT_EQ(Metric(std::string("accuracy")).class_name(), "Accuracy");
}

TEST(Metric, HandlesShareTheirState) {
  const Mean mean;
  const Metric copy = mean;  // NOLINT(performance-unnecessary-copy-initialization): the copy is tested
  mean.update_state(Tensor::scalar(3.0f));
  EXPECT_EQ(copy.result().item(), 3.0);
  copy.reset_state();
  EXPECT_EQ(mean.result().item(), 0.0);
  EXPECT_TRUE(copy.is_same(mean));
}

TEST(Metric, MeanOfLossesWeighsByBatchSize) {
  const Mean mean;
  mean.update_state(Tensor::scalar(1.0f), Tensor::scalar(4.0f));
  mean.update_state(Tensor::scalar(4.0f), Tensor::scalar(2.0f));
  EXPECT_EQ(mean.result().item(), 2.0);
}

TEST(Metric, StateFollowsFloatx) {
  config::set_floatx("float64");
  const Mean mean;
  config::set_floatx("float32");
  EXPECT_EQ(mean.variables()[0].dtype(), float64);
  EXPECT_EQ(Mean().variables()[0].dtype(), float32);
  EXPECT_EQ(Mean({.dtype = "float64"}).variables()[0].dtype(), float64);
}

TEST(Metric, MeansAndSumsTakeValues) {
  EXPECT_THROW(static_cast<const Metric&>(Mean()).update_state(y_true, y_pred), TypeError);
  EXPECT_THROW(static_cast<const Metric&>(Sum()).update_state(y_true, y_pred), TypeError);
}

TEST(Metric, TopKCountsTiesAndRefusesWhatIsNoClass) {
  const Tensor scores = Tensor::from_data<float>({4, 3}, {1, 1, 0, 1, 1, 0, 1, 2, 3, 1, 2, 3});
  const Tensor labels = Tensor::from_data<std::int32_t>({4}, {1, 2, 0, 7});
  EXPECT_EQ(sparse_top_k_categorical_accuracy(labels, scores, 1).to_vector(), (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(sparse_top_k_categorical_accuracy(labels, scores, 3).to_vector(), (std::vector<double>{1, 1, 1, 0}));
  const Tensor infinite = Tensor::from_data<float>({1, 2}, {INFINITY, 0});
  EXPECT_EQ(sparse_top_k_categorical_accuracy(Tensor::from_data<std::int32_t>({1}, {0}), infinite, 1).item(), 0.0);
  EXPECT_EQ(sparse_top_k_categorical_accuracy(Tensor::from_data<std::int32_t>({1}, {1}), infinite, 2).item(), 0.0);
}

TEST(Metric, TopKOfSortedIds) {
  const Tensor ids = Tensor::from_data<std::int32_t>({2, 3}, {4, 2, 0, 1, 3, 2});
  const Tensor labels = Tensor::from_data<std::int32_t>({2}, {2, 2});
  EXPECT_EQ(sparse_top_k_categorical_accuracy(labels, ids, 2, true).to_vector(), (std::vector<double>{1, 0}));
  const SparseTopKCategoricalAccuracy metric({.k = 2, .from_sorted_ids = true});
  EXPECT_TRUE(metric.get_config()["from_sorted_ids"].as_bool());
  EXPECT_EQ(serialize(deserialize(serialize(metric))).dump(), serialize(metric).dump());
}

// Values from Keras, whose mask goes with the values of the function.
TEST(Metric, FunctionsThatIgnoreAClassMaskTheWeights) {
  const auto ignoring = [](const Tensor& truth, const Tensor& predicted) {
    return losses::sparse_categorical_crossentropy(truth, predicted, false, 0);
  };
  const Tensor labels = Tensor::from_data<std::int32_t>({4}, {1, 0, 2, 0});
  const Tensor scores = Tensor::full({4, 3}, 1.0 / 3.0);
  const MeanMetricWrapper weighted(ignoring, {.name = "weighted"});
  weighted.update_state(labels, scores, Tensor::full({4}, 1));
  EXPECT_NEAR(weighted.variables()[0].value().item(), 2.1972246, 1e-6);
  EXPECT_EQ(weighted.variables()[1].value().item(), 2.0);
  const MeanMetricWrapper unweighted(ignoring, {.name = "unweighted"});
  unweighted.update_state(labels, scores);
  EXPECT_EQ(unweighted.variables()[1].value().item(), 4.0);
  EXPECT_NEAR(losses::Loss(ignoring)(labels, scores).item(), 1.0986123, 1e-6);
}

TEST(Metric, LabelsWithFractionsAreNoClasses) {
  const Tensor labels = Tensor::from_data<float>({2}, {0.0f, 0.5f});
  EXPECT_EQ(sparse_categorical_accuracy(labels, y_pred).to_vector(), (std::vector<double>{1, 0}));
}

TEST(Metric, OwnMetricsAreCalledAndSaved) {
  context().clear_session();
  const Metric metric = make_metric<Largest>();
  EXPECT_EQ(metric.name(), "largest");
  EXPECT_EQ(make_metric<Largest>().name(), "largest_1");
  metric.update_state(y_true, y_pred);
  EXPECT_EQ(metric.result().item(), 0.5);
  EXPECT_EQ(metric.variables()[0].path(), "largest/largest");
  metric.reset_state();
  EXPECT_EQ(metric.result().item(), 0.0);

  register_metric("Largest", [](const io::Json& config) {
    return make_metric<Largest>(MetricOptions{.name = config["name"].as_string()});
  });
  EXPECT_EQ(serialize(deserialize(serialize(metric))).dump(), serialize(metric).dump());
}

TEST(Metric, NothingLooksAtValues) {
  for (const char* name : {"mse", "RootMeanSquaredError", "bce", "categorical_crossentropy", "categorical_accuracy",
                           "binary_accuracy", "Accuracy", "top_k_categorical_accuracy", "hinge", "kl_divergence"}) {
    SCOPED_TRACE(name);
    const Metric metric{std::string(name)};
    ShapeInferenceScope scope;
    metric.update_state(scope.placeholder(y_true.spec()), scope.placeholder(y_pred.spec()),
                        scope.placeholder({{2}, float32}));
    EXPECT_EQ(metric.result().shape(), Shape{});
  }
}

TEST(MetricArgument, StringsFunctionsAndObjects) {
  const std::vector<MetricArgument> arguments = {
      "accuracy", TopKCategoricalAccuracy({.k = 1}),
      MetricArgument([](const Tensor& truth, const Tensor& predicted) { return max(abs(truth - predicted), {-1}); },
                     "largest_error")};
  std::vector<Metric> metrics;
  for (const MetricArgument& argument : arguments) metrics.push_back(argument.resolve(y_true.spec(), y_pred.spec()));
  EXPECT_EQ(metrics[0].class_name(), "CategoricalAccuracy");
  EXPECT_EQ(metrics[0].name(), "accuracy");
  EXPECT_EQ(serialize(metrics[0]), io::Json("accuracy"));
  EXPECT_TRUE(metrics[1].is_same(arguments[1].metric()));
  EXPECT_EQ(metrics[2].name(), "largest_error");
  metrics[2].update_state(y_true, y_pred);
  EXPECT_EQ(metrics[2].result().item(), 0.375);
  EXPECT_EQ(serialize(arguments[0]), io::Json("accuracy"));
}

TEST(MetricArgument, AStringGivesANewMetricEachTime) {
  const MetricArgument argument("mse");
  EXPECT_FALSE(argument.resolve(y_true.spec(), y_pred.spec()).is_same(argument.resolve(y_true.spec(), y_pred.spec())));
}

TEST(MetricErrors, UnknownNames) {
  EXPECT_EQ(message_of<ValueError>([] { MetricArgument("nonsense").resolve({}, {}); }),
            keras_message("unknown_metric"));
  EXPECT_EQ(message_of<ValueError>([] { Metric(std::string("nonsense")); }), keras_message("unknown_metric"));
  EXPECT_EQ(message_of<ValueError>([] { MetricArgument().resolve({}, {}); }), "Expected metric, received `None`");
  EXPECT_THROW(deserialize(io::Json::object({{"class_name", "Nonsense"}, {"config", io::Json::object()}})), TypeError);
}

}  // namespace
}  // namespace rhyton::metrics
