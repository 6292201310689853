// The names and values that `evaluate` gives for losses, metrics and weighted metrics of one and several outputs. The
// models have no weights: each input is an output, so that x is the prediction.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/model.h>
#include <rhyton/models/saving/compile_config.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::models {
namespace {

using io::Json;

CompileOptions compile_options(const Json& golden, bool eagerly) {
  Json config = golden["compile"];
  config["optimizer"] = "sgd";
  CompileOptions options = saving::deserialize_compile_config(config);
  options.run_eagerly = eagerly;
  return options;
}

std::vector<Tensor> arrays(const rhyton::test::GoldenArea& area, const Json& golden, const std::string& role) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < golden["outputs"].size(); ++i) {
    result.push_back(area.array(golden, role + std::to_string(i)));
  }
  return result;
}

Model identity_model(const Json& outputs, const std::vector<Tensor>& predictions) {
  std::vector<layers::SymbolicTensor> inputs;
  std::vector<layers::SymbolicTensor> results;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const Shape& batch = predictions[i].shape();
    const layers::SymbolicTensor input =
        layers::Input({.shape = Shape(std::vector<std::int64_t>(batch.begin() + 1, batch.end()))});
    inputs.push_back(input);
    results.push_back(layers::Activation("linear", {.name = outputs[i]["name"].as_string()})(input));
  }
  return Model({.inputs = inputs, .outputs = results});
}

/// Whether this is the loss of one of several outputs.
bool is_loss_of_output(const std::string& name) { return name.ends_with("_loss"); }

void expect_near(double actual, double expected, const std::string& name) {
  EXPECT_NEAR(actual, expected, 1e-6 + 1e-5 * std::abs(expected)) << name;
}

void expect_logs(const callbacks::Logs& logs, const Json& golden) {
  EXPECT_EQ(logs.size(), golden["log_order"].size());
  for (const auto& [name, value] : golden["logs"].items()) {
    ASSERT_TRUE(logs.contains(name)) << name;
    if (!is_loss_of_output(name)) expect_near(logs.at(name), value.as_double(), name);
  }
}

std::vector<Tensor> rows(const std::vector<Tensor>& arrays, std::int64_t first, std::int64_t last) {
  std::vector<Tensor> result;
  for (const Tensor& array : arrays) result.push_back(array.slice(first, last));
  return result;
}

/// The losses of the outputs. In compiled mode Keras averages these without the batch sizes: every batch has the same
/// weight in its logs, though not in the loss itself. Here the last short batch is weighted by its size in all of them.
void expect_losses_of_outputs(const Model& model, const callbacks::Logs& logs, const Json& golden,
                              const std::vector<Tensor>& x, const std::vector<Tensor>& y) {
  const std::int64_t samples = x.front().shape()[0];
  const std::int64_t size = golden["batch_size"].as_int();
  for (const auto& [name, value] : golden["logs"].items()) {
    if (!is_loss_of_output(name)) continue;
    double sum = 0;
    double weighted_sum = 0;
    std::int64_t batches = 0;
    for (std::int64_t first = 0; first < samples; first += size) {
      const std::int64_t last = std::min(first + size, samples);
      const double loss = model.test_on_batch(rows(x, first, last), rows(y, first, last)).at(name);
      sum += loss;
      weighted_sum += loss * static_cast<double>(last - first);
      ++batches;
    }
    expect_near(sum / static_cast<double>(batches), value.as_double(), name);
    expect_near(logs.at(name), weighted_sum / static_cast<double>(samples), name);
  }
}

class MetricNames : public ::testing::TestWithParam<bool> {
 protected:
  const rhyton::test::GoldenArea area_{"metric_names"};
};

INSTANTIATE_TEST_SUITE_P(Modes, MetricNames, ::testing::Values(false, true),
                         [](const auto& info) { return info.param ? "eagerly" : "compiled"; });

TEST_P(MetricNames, LogsOfEvaluateAreKerass) {
  int several_outputs = 0;
  int weighted = 0;
  for (const Json& golden : area_.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    ASSERT_FALSE(golden.contains("exception"));
    const std::vector<Tensor> predictions = arrays(area_, golden, "y_pred");
    const Model model = identity_model(golden["outputs"], predictions);
    model.compile(compile_options(golden, GetParam()));
    const Tensor weight = area_.array(golden, "sample_weight");
    EvaluateOptions options{.batch_size = golden["batch_size"].as_int(), .verbose = 0};
    if (!weight.is_empty()) options.sample_weight = weight;
    const std::vector<Tensor> targets = arrays(area_, golden, "y_true");
    // Twice: the second call starts from reset metrics.
    expect_logs(model.evaluate(predictions, targets, options), golden);
    const callbacks::Logs logs = model.evaluate(predictions, targets, options);
    expect_logs(logs, golden);
    if (predictions.size() > 1) expect_losses_of_outputs(model, logs, golden, predictions, targets);
    several_outputs += predictions.size() > 1 ? 1 : 0;
    weighted += weight.is_empty() ? 0 : 1;
  }
  EXPECT_GE(several_outputs, 8);
  EXPECT_GE(weighted, 2);
}

TEST_P(MetricNames, HistoryIsInTheOrderOfNames) {
  for (const Json& golden : area_.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const std::vector<Tensor> predictions = arrays(area_, golden, "y_pred");
    const Model model = identity_model(golden["outputs"], predictions);
    CompileOptions compile = compile_options(golden, GetParam());
    model.compile(compile);
    FitOptions options{.verbose = 0};
    const Tensor weight = area_.array(golden, "sample_weight");
    if (!weight.is_empty()) options.sample_weight = weight;
    const History history = model.fit(predictions, arrays(area_, golden, "y_true"), options);
    std::vector<std::string> names;
    for (const auto& [name, values] : history.history) names.push_back(name);
    std::vector<std::string> expected;
    for (const auto& [name, unused] : golden["logs"].items()) expected.push_back(name);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(names, expected);
  }
}

}  // namespace
}  // namespace rhyton::models
