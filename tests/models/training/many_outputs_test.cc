// Losses and metrics of very many outputs. Each test would take minutes if the time were quadratic.

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/training/compiled_loss.h>
#include <rhyton/models/training/compiled_metrics.h>

namespace rhyton::training {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr int outputs = 100000;

std::vector<std::string> output_names() {
  std::vector<std::string> names;
  for (int i = 0; i < outputs; ++i) names.push_back("output_with_a_long_name_" + std::to_string(i));
  return names;
}

TEST(ManyOutputs, HaveLossesAndWeightsByName) {
  const std::vector<std::string> names = output_names();
  std::map<std::string, losses::Loss> losses;
  std::map<std::string, double> weights;
  const losses::Loss mse("mse");
  for (const std::string& name : names) {
    losses.emplace(name, mse);
    weights.emplace(name, 0.5);
  }
  const CompiledLoss compiled(losses, weights, names);
  ASSERT_EQ(compiled.trackers().size(), names.size());
  EXPECT_EQ(compiled.trackers().back().name(), names.back() + "_loss");
  losses.emplace("unknown", mse);
  EXPECT_THAT(
      [&] {
        CompiledLoss(losses, {}, {"a", "b"});
      },
      ThrowsMessage<ValueError>(HasSubstr("Expected keys ['a', 'b'] in loss dict")));
}

TEST(ManyOutputs, OfOneNameHaveTheSameLoss) {
  const CompiledLoss compiled(std::map<std::string, losses::Loss>{{"y", "mse"}, {"x", nullptr}}, {}, {"y", "x", "y"});
  ASSERT_EQ(compiled.trackers().size(), 2U);
  EXPECT_EQ(compiled.trackers()[1].name(), "y_loss");
}

/// The names of the results with these metrics for each output, of `count` outputs.
std::vector<std::string> result_names(const models::MetricsArgument& metrics, const std::vector<std::string>& names) {
  CompiledMetrics compiled(metrics, {}, names);
  const std::vector<TensorSpec> specs(names.size(), TensorSpec{{2, 1}, DType::float32});
  compiled.resolve(specs, specs);
  std::vector<std::string> results;
  for (const CompiledMetrics::Result& result : compiled.results()) results.push_back(result.name);
  return results;
}

TEST(ManyOutputs, HaveMetricsByName) {
  std::vector<std::string> names = output_names();
  names.resize(20000);
  std::map<std::string, models::MetricsArgument::List> metrics;
  for (const std::string& name : names) metrics[name] = {"mae"};
  const std::vector<std::string> results = result_names(metrics, names);
  ASSERT_EQ(results.size(), names.size());
  EXPECT_EQ(results.back(), names.back() + "_mae");
}

TEST(ManyOutputs, OfOneNameHaveMetricsWithNumbers) {
  const std::vector<std::string> names(20000, "y");
  const std::vector<std::string> results =
      result_names(std::map<std::string, models::MetricsArgument::List>{{"y", {"mae"}}}, names);
  ASSERT_EQ(results.size(), names.size());
  EXPECT_EQ(results[0], "y_mae");
  EXPECT_EQ(results[1], "y_mae_1");
  EXPECT_EQ(results.back(), "y_mae_19999");
}

}  // namespace
}  // namespace rhyton::training
