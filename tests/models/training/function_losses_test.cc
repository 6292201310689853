// Functions as losses and metrics of `compile`.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/losses/focal_crossentropy.h>
#include <rhyton/models/losses/generalized_crossentropy.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/models/losses/segmentation.h>
#include <rhyton/models/losses/similarity.h>
#include <rhyton/models/metrics/accuracy.h>
#include <rhyton/models/metrics/correlation.h>
#include <rhyton/tests/models/training/small_models.h>

namespace rhyton::models {
namespace {

Tensor weighted_error(const Tensor& y_true, const Tensor& y_pred, double weight) {
  return mean(abs(y_true - y_pred), {-1}) * weight;
}

const Tensor samples = column({0.25, 0.5, 0.75, 1});
const Tensor bits = column({0, 1, 1, 1});

/// The losses of three epochs from the same weights.
std::vector<double> losses_with(const LossArgument& loss) {
  const Sequential model = linear_model(0.5F, 0.25F);
  model.compile({.optimizer = "sgd", .loss = loss});
  return model.fit(samples, bits, {.epochs = 3, .verbose = 0, .shuffle = false}).history.at("loss");
}

TEST(FunctionLosses, TrainAsTheirNamesDo) {
  EXPECT_EQ(losses_with(losses::binary_crossentropy), losses_with("binary_crossentropy"));
  EXPECT_EQ(losses_with(losses::mean_squared_error), losses_with("mean_squared_error"));
  EXPECT_EQ(losses_with(losses::huber), losses_with("huber"));
  EXPECT_EQ(losses_with(losses::binary_focal_crossentropy), losses_with("binary_focal_crossentropy"));
  EXPECT_EQ(losses_with(losses::tversky), losses_with("tversky"));
  EXPECT_EQ(losses_with([](const Tensor& y_true, const Tensor& y_pred) { return weighted_error(y_true, y_pred, 1.0); }),
            losses_with("mae"));
}

TEST(FunctionLosses, KeepTheNamesOfClasses) {
  const losses::Loss loss = losses::sparse_categorical_crossentropy;
  const Tensor classes = Tensor::from_data<std::uint8_t>({2}, {0, 1});
  const Tensor scores = Tensor::from_data<float>({2, 2}, {0.75, 0.25, 0.5, 0.5});
  EXPECT_EQ(loss(classes, scores).item(), losses::Loss("sparse_categorical_crossentropy")(classes, scores).item());
}

TEST(FunctionLosses, AreWrittenByTheirNamesInKeras) {
  for (const losses::Loss& loss : {losses::Loss(losses::categorical_crossentropy), losses::Loss(losses::dice),
                                   losses::Loss(losses::cosine_similarity), losses::Loss(losses::circle),
                                   losses::Loss(losses::categorical_focal_crossentropy)}) {
    EXPECT_EQ(losses::serialize(loss).dump(), R"({"module": "builtins", "class_name": "function", "config": ")" +
                                                  loss.name() + R"(", "registered_name": "function"})");
    EXPECT_EQ(losses::deserialize(losses::serialize(loss)).name(), loss.name());
  }
  EXPECT_EQ(losses::Loss(losses::huber).name(), "huber");
  EXPECT_EQ(losses::Loss(losses::huber, "h").name(), "h");
}

TEST(FunctionLosses, RefuseFunctionsWithArgumentsThatHaveNoDefault) {
  EXPECT_THROW(losses::Loss{weighted_error}, TypeError);
  EXPECT_THROW(losses::Loss{losses::categorical_generalized_cross_entropy}, TypeError);
  EXPECT_THROW(metrics::MetricArgument{weighted_error}, TypeError);
}

TEST(FunctionMetrics, HaveTheirNamesInKeras) {
  const Sequential model = linear_model(1, 0);
  model.compile(standing_still(
      "mse",
      {metrics::binary_accuracy, metrics::accuracy, losses::huber, losses::mean_squared_error,
       metrics::MetricArgument([](const Tensor& y, const Tensor& p) { return weighted_error(y, p, 2.0); }, "own"),
       [](const Tensor& y, const Tensor& p) { return weighted_error(y, p, 3.0); }}));
  const callbacks::Logs logs = model.evaluate(samples, bits, {.verbose = 0});
  EXPECT_EQ(logs.at("binary_accuracy"), 0.75);  // 0.5 is not above the threshold
  EXPECT_EQ(logs.at("accuracy"), 0.25);
  EXPECT_EQ(logs.at("mean_squared_error"), logs.at("loss"));
  EXPECT_EQ(logs.at("huber"), logs.at("loss") / 2);
  EXPECT_EQ(logs.at("own"), 2 * (0.25 + 0.5 + 0.25) / 4);
  EXPECT_EQ(logs.at("lambda"), 3 * (0.25 + 0.5 + 0.25) / 4);
  const metrics::MetricArgument top = metrics::sparse_top_k_categorical_accuracy;
  EXPECT_EQ(metrics::serialize(top).dump(), R"({"module": "builtins", "class_name": "function", "config": )"
                                            R"("sparse_top_k_categorical_accuracy", "registered_name": "function"})");
  EXPECT_EQ(metrics::MetricArgument(metrics::pearson_correlation).metric().name(), "pearson_correlation");
}

TEST(FunctionMetrics, ThatAreLossesAreBetterIfSmaller) {
  EXPECT_EQ(metrics::MetricArgument(losses::huber).metric().impl()->direction(), "down");
  EXPECT_EQ(metrics::MetricArgument(losses::mean_squared_error).metric().impl()->direction(), "down");
  EXPECT_EQ(metrics::MetricArgument(metrics::binary_accuracy).metric().impl()->direction(), "");
}

}  // namespace
}  // namespace rhyton::models
