#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/models/metrics/accuracy.h>
#include <rhyton/models/training/options.h>

namespace rhyton::models {
namespace {

TEST(CompileForms, OneLossOneMetric) {
  const CompileOptions options{.optimizer = "sgd", .loss = "mse", .metrics = {"accuracy", metrics::BinaryAccuracy()}};
  EXPECT_EQ(options.loss.list().size(), 1U);
  EXPECT_FALSE(options.loss.is_list());
  ASSERT_EQ(options.metrics.list().size(), 2U);
  EXPECT_EQ(options.metrics.list()[0].identifier(), "accuracy");
}

TEST(CompileForms, ALossPerOutput) {
  const CompileOptions options{.loss = {"mse", losses::Huber()}, .loss_weights = {1.0, 2.0}};
  EXPECT_TRUE(options.loss.is_list());
  EXPECT_EQ(options.loss.list()[1].class_name(), "Huber");
  EXPECT_EQ(options.loss_weights.list(), (std::vector<double>{1.0, 2.0}));
}

TEST(CompileForms, MapsFromTheNamesOfOutputs) {
  const CompileOptions options{.loss = {{"a", "mse"}, {"b", losses::Huber()}},
                               .loss_weights = {{"a", 1.0}, {"b", 2.0}},
                               .metrics = {{"a", {"mae"}}, {"b", {"mse", "mae"}}}};
  ASSERT_TRUE(options.loss.is_map());
  EXPECT_EQ(options.loss.map().at("b").class_name(), "Huber");
  EXPECT_EQ(options.loss_weights.map().at("b"), 2.0);
  EXPECT_EQ(options.metrics.map().at("b").size(), 2U);
}

TEST(CompileForms, AMapOfOne) {
  const CompileOptions options{.loss = {{"a", "mse"}}, .metrics = {{"a", {"mae"}}}};
  ASSERT_TRUE(options.loss.is_map());
  EXPECT_EQ(options.loss.map().count("a"), 1U);
  ASSERT_EQ(options.metrics.map().count("a"), 1U);
  EXPECT_EQ(options.metrics.map().at("a")[0].identifier(), "mae");
}

std::vector<std::vector<std::string>> names_of(const std::vector<MetricsArgument::List>& lists) {
  std::vector<std::vector<std::string>> names;
  for (const MetricsArgument::List& list : lists) {
    names.emplace_back();
    for (const metrics::MetricArgument& metric : list) {
      names.back().push_back(metric.metric().is_empty() ? metric.identifier() : metric.metric().name());
    }
  }
  return names;
}

using Names = std::vector<std::vector<std::string>>;

Tensor distance(const Tensor& y_true, const Tensor& y_pred) { return y_true - y_pred; }

TEST(CompileForms, ListsOfMetricsPerOutput) {
  const CompileOptions options{.metrics = {{"mae", "mse"}, {"accuracy", "mae"}},
                               .weighted_metrics = {{"mae", metrics::BinaryAccuracy(), "mse"}, {}}};
  EXPECT_EQ(names_of(options.metrics.lists()), (Names{{"mae", "mse"}, {"accuracy", "mae"}}));
  EXPECT_EQ(names_of(options.weighted_metrics.lists()), (Names{{"mae", "binary_accuracy", "mse"}, {}}));
  EXPECT_EQ(names_of(MetricsArgument{{"mae", "mse"}}.lists()), (Names{{"mae", "mse"}}));
  const std::string mae = "mae";
  EXPECT_EQ(names_of(MetricsArgument{{mae, mae}, {mae, mae}}.lists()), (Names{{"mae", "mae"}, {"mae", "mae"}}));
}

TEST(CompileForms, AMetricOrAListPerOutput) {
  EXPECT_EQ(names_of(MetricsArgument{"mae", {"mse", "mae"}, nullptr, std::nullopt, {}}.lists()),
            (Names{{"mae"}, {"mse", "mae"}, {}, {}, {}}));
  // Without a list in it: also the metrics of one output.
  EXPECT_EQ(MetricsArgument({{"mae"}, {"mse"}}).list().size(), 2U);
  const MetricsArgument::List list = {"mae", "mse"};
  EXPECT_EQ(names_of(MetricsArgument{list, {"mse", "mse"}}.lists()), (Names{{"mae", "mse"}, {"mse", "mse"}}));
}

TEST(CompileForms, AMapNeedsListsOfMetrics) {
  const std::string output = "a";
  const MetricsArgument map = {{output, {"mae", "mse"}}, {"b", {}}, {"c", MetricsArgument::List{"mse"}}};
  EXPECT_EQ(map.map().at("a").size(), 2U);
  EXPECT_TRUE(map.map().at("b").empty());
  EXPECT_EQ(map.map().at("c").size(), 1U);
  EXPECT_THROW(MetricsArgument({{"a", {"mae"}}, "mse"}), ValueError);
}

TEST(CompileForms, AFunctionMetricMayHaveAName) {
  const auto own = [](const Tensor& y_true, const Tensor&) { return y_true; };
  EXPECT_EQ(names_of({MetricsArgument{{own, "spread"}}.list()}), (Names{{"spread"}}));
  EXPECT_EQ(names_of({MetricsArgument{{distance, "spread"}, "mae"}.list()}), (Names{{"spread", "mae"}}));
  // A string that is a metric is one.
  EXPECT_EQ(names_of(MetricsArgument{{own, "mae"}, {"mae", distance}}.lists()),
            (Names{{"lambda", "mae"}, {"mae", "lambda"}}));
}

TEST(CompileForms, OutputsWithoutALoss) {
  const CompileOptions list{.loss = {"mse", nullptr, {}, std::nullopt}};
  ASSERT_EQ(list.loss.list().size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(list.loss.list()[i].is_empty());
  const CompileOptions map{.loss = {{"a", "mse"}, {"b", nullptr}}};
  EXPECT_TRUE(map.loss.map().at("b").is_empty());
}

TEST(CompileForms, AFunctionIsALoss) {
  const CompileOptions options{.loss = [](const Tensor& y_true, const Tensor&) { return y_true; }};
  EXPECT_FALSE(options.loss.list().front().is_empty());
}

}  // namespace
}  // namespace rhyton::models
