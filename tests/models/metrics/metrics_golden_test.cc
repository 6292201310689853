#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/models/losses/loss.h>
#include <rhyton/models/metrics/metric.h>
#include <rhyton/models/metrics/reduction.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::metrics {
namespace {

using test::expect_close;

Metric make(const io::Json& golden) {
  return deserialize(io::Json::object({{"class_name", golden["class_name"]}, {"config", golden["config"]}})).metric();
}

void update(const Metric& metric, const test::GoldenArea& area, const io::Json& golden, int number) {
  const std::string suffix = std::to_string(number);
  const Tensor weight = area.array(golden, "sample_weight" + suffix);
  const Tensor values = area.array(golden, "values" + suffix);
  if (values.is_empty()) {
    metric.update_state(area.array(golden, "y_true" + suffix), area.array(golden, "y_pred" + suffix), weight);
  } else if (metric.class_name() == "Mean") {
    static_cast<MeanImpl&>(*metric.impl()).update_values(values, weight);
  } else {
    const Metric& base = metric;
    static_cast<const Sum&>(base).update_state(values, weight);
  }
}

TEST(MetricsGolden, ResultsAndStatesAreThoseOfKeras) {
  const test::GoldenArea area("metrics");
  ASSERT_GT(area.cases().size(), 50U);
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const Metric metric = make(golden);
    EXPECT_EQ(metric.result().item(), 0.0);
    for (int i = 0; i < golden["updates"].as_int(); ++i) {
      update(metric, area, golden, i);
      expect_close(metric.result(), area.array(golden, "result" + std::to_string(i)));
    }
    const std::vector<Variable>& variables = metric.variables();
    ASSERT_EQ(variables.size(), golden["variables"].size());
    for (std::size_t i = 0; i < variables.size(); ++i) {
      EXPECT_EQ(variables[i].name(), golden["variables"][i]["name"].as_string());
      EXPECT_EQ(name_of(variables[i].dtype()), golden["variables"][i]["dtype"].as_string());
      EXPECT_FALSE(variables[i].trainable());
      expect_close(variables[i].value(), area.array(golden, "variable" + std::to_string(i)));
    }
    metric.reset_state();
    expect_close(metric.result(), area.array(golden, "result_after_reset"));
  }
}

TEST(MetricsGolden, ConfigurationsAreThoseOfKeras) {
  const test::GoldenArea area("metrics");
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const Metric metric = make(golden);
    EXPECT_EQ(metric.name(), golden["metric_name"].as_string());
    EXPECT_EQ(metric.get_config(), golden["config"]);
    const io::Json serialized = serialize(metric);
    EXPECT_EQ(serialized["module"].as_string(), "keras.metrics");
    EXPECT_EQ(serialized["class_name"], golden["class_name"]);
    EXPECT_EQ(serialize(deserialize(serialized)).dump(), serialized.dump());
  }
}

/// `evaluate` of a model with one output: batches, the loss weighted by their sizes, the metrics unweighted.
void evaluate(const test::GoldenArea& area, const io::Json& golden) {
  const io::Json& compile = golden["compile"];
  const Tensor y_true = area.array(golden, "y_true0");
  const Tensor y_pred = area.array(golden, "y_pred0");
  const losses::Loss loss = losses::deserialize(compile["loss"]);
  std::vector<Metric> metrics;
  if (const io::Json* names = compile.find("metrics")) {
    for (const io::Json& name : *names) metrics.push_back(deserialize(name).resolve(y_true.spec(), y_pred.spec()));
  }
  ASSERT_EQ(metrics.size(), golden["resolved"].size());
  const Mean mean_loss({.name = "loss"});
  for (std::int64_t first = 0; first < y_pred.shape()[0]; first += golden["batch_size"].as_int()) {
    const std::int64_t last = std::min(first + golden["batch_size"].as_int(), y_pred.shape()[0]);
    const Tensor labels = slice_axis(y_true, 0, first, last);
    const Tensor outputs = slice_axis(y_pred, 0, first, last);
    mean_loss.update_state(loss(labels, outputs), Tensor::scalar(static_cast<float>(last - first)));
    for (const Metric& metric : metrics) metric.update_state(labels, outputs);
  }
  EXPECT_NEAR(mean_loss.result().item(), golden["logs"]["loss"].as_double(), 1e-6);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    EXPECT_EQ(metrics[i].class_name(), golden["resolved"][i]["class_name"].as_string());
    EXPECT_EQ(metrics[i].name(), golden["resolved"][i]["name"].as_string());
    EXPECT_NEAR(metrics[i].result().item(), golden["logs"][metrics[i].name()].as_double(), 1e-6);
  }
}

TEST(MetricsGolden, StringsMeanWhatTheyMeanToCompile) {
  const test::GoldenArea area("metric_names");
  int evaluated = 0;
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const bool plain = golden["outputs"].size() == 1 && golden["sample_weight"].is_null() &&
                       (!golden["compile"].contains("metrics") || golden["compile"]["metrics"].is_array());
    if (!plain) continue;  // added by the trainer
    evaluate(area, golden);
    ++evaluated;
  }
  EXPECT_GT(evaluated, 50);
}

}  // namespace
}  // namespace rhyton::metrics
