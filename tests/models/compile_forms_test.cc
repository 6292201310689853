#include <vector>

#include <gtest/gtest.h>

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

TEST(CompileForms, AFunctionIsALoss) {
  const CompileOptions options{.loss = [](const Tensor& y_true, const Tensor&) { return y_true; }};
  EXPECT_FALSE(options.loss.list().front().is_empty());
}

}  // namespace
}  // namespace rhyton::models
