// Models whose layers have metrics of their own, compared with Keras.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/layers.h>
#include <rhyton/models/metric_owner.h>
#include <rhyton/models/metrics/reduction.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {
namespace {

using test::expect_close;
using test::GoldenArea;
using test::message_of;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

/// The layers of make_layer_metrics.py.
class Gate final : public layers::LayerImpl, public MetricOwner {
 public:
  Gate(const std::string& metric, const std::string& name) : LayerImpl({.name = name}) {
    openness_ = track_metric("openness", metrics::Mean({.name = metric}));
    mark_built();
  }
  std::string class_name() const override { return "Gate"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor opened = sigmoid(inputs[0]);
    openness_.update_state(opened);
    return {opened * inputs[0]};
  }

 private:
  metrics::Mean openness_;
};

class Block final : public layers::LayerImpl, public MetricOwner {
 public:
  Block() : LayerImpl({.name = "block"}) {}
  std::string class_name() const override { return "Block"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor y = gate_(dense_(inputs[0]));
    size_.update_state(mean(abs(y)));
    return {y};
  }
  void track_nothing() { track_metric("none", metrics::Metric()); }

 private:
  layers::Dense dense_ = track("dense", layers::Dense(4, {.name = "inner"}));
  layers::Layer gate_ = track("gate", layers::make_layer<Gate>("inner_openness", "inner_gate"));
  metrics::Mean size_ = track_metric("size", metrics::Mean({.name = "size"}));
};

std::vector<std::string> names_of(const std::vector<metrics::Metric>& metrics) {
  std::vector<std::string> names;
  for (const metrics::Metric& metric : metrics) names.push_back(metric.name());
  return names;
}

class LayerMetrics : public ::testing::TestWithParam<bool> {
 protected:
  LayerMetrics() : area_("layer_metrics"), golden_(area_.find("gates")) {
    clear_session();
    const Sequential inner({layers::Input({.shape = {4}}), layers::Dense(4, {.name = "nested"}),
                            layers::make_layer<Gate>("nested_openness", "nested_gate")},
                           {.name = "inner_model"});
    const layers::SymbolicTensor x = layers::Input({.shape = {3}, .name = "x"});
    const layers::Layer gate = layers::make_layer<Gate>("openness", "gate");
    const layers::Layer block = layers::make_layer<Block>();
    model_ = Model({.inputs = x, .outputs = layers::Dense(2, {.name = "out"})(inner(block(gate(x))))});
    model_.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                    .loss = "mse",
                    .metrics = {"mae"},
                    .run_eagerly = GetParam()});
  }

  std::vector<std::string> listed(const std::string& key) const {
    std::vector<std::string> names;
    for (const io::Json& name : golden_[key]) names.push_back(name.as_string());
    return names;
  }
  Tensor data(const std::string& role) const { return area_.array(area_.find("data"), role); }

  GoldenArea area_;
  const io::Json& golden_;
  Model model_;
};

INSTANTIATE_TEST_SUITE_P(Ways, LayerMetrics, ::testing::Values(false, true),
                         [](const auto& way) { return way.param ? "Eager" : "Compiled"; });

TEST_P(LayerMetrics, AreLoggedAndResetByFitAndEvaluate) {
  std::vector<Tensor> before;
  for (std::int64_t i = 0; i < golden_["weights"].as_int(); ++i) {
    before.push_back(area_.array(golden_, "before" + std::to_string(i)));
  }
  model_.set_weights(before);
  const Tensor x = data("x");
  const Tensor y = data("y");
  const History history = model_.fit(x, y,
                                     {.batch_size = 8,
                                      .epochs = 2,
                                      .verbose = 0,
                                      .validation_data = {x.slice(0, 6), y.slice(0, 6)},
                                      .shuffle = false});
  ASSERT_EQ(history.history.size(), golden_["history"].items().size());
  for (const auto& [name, epochs] : golden_["history"].items()) {
    for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch) {
      EXPECT_NEAR(history[name].at(epoch), epochs[epoch].as_double(), 2e-6) << name;
    }
  }
  EXPECT_THAT(model_.metrics_names(),
              ElementsAre("loss", "mae", "openness", "size", "inner_openness", "nested_openness"));
  const callbacks::Logs logs = model_.evaluate(x, y, {.batch_size = 8, .verbose = 0});
  ASSERT_EQ(logs.size(), golden_["evaluate"].items().size());
  for (const auto& [name, value] : golden_["evaluate"].items()) EXPECT_NEAR(logs.at(name), value.as_double(), 2e-6);
  for (std::size_t i = 0; i < before.size(); ++i) {
    expect_close(model_.get_weights()[i], area_.array(golden_, "after" + std::to_string(i)));
  }
}

TEST_P(LayerMetrics, BelongToTheLayersAroundThem) {
  EXPECT_THAT(names_of(layer_metrics(model_.get_layer("block"))), ElementsAreArray(listed("of_block")));
  EXPECT_THAT(names_of(layer_metrics(model_.get_layer("inner_model"))), ElementsAre("nested_openness"));
  EXPECT_EQ(layer_metrics_variables(model_.get_layer("block")).size(), 4);
  EXPECT_TRUE(layer_metrics(model_.get_layer("out")).empty());
}

TEST(MetricOwner, RefusesAnEmptyMetric) {
  EXPECT_EQ(message_of<ValueError>([] { Block().track_nothing(); }),
            "Attribute \"none\" of a layer holds an empty metric.");
}

}  // namespace
}  // namespace rhyton::models
