// The forms of losses, metrics and optimizers as arguments of a model.

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/models/metrics/accuracy.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/schedules/cosine_decay.h>
#include <rhyton/optimizers/sgd.h>

namespace rhyton {
namespace {

/// The shape of the options of `compile`.
struct Options {
  ByName by_name = ByName();
  optimizers::Optimizer optimizer = "rmsprop";
  losses::Loss loss = {};
  std::vector<metrics::MetricArgument> metrics = {};
};

Tensor distance(const Tensor& y_true, const Tensor& y_pred) { return mean(abs(y_true - y_pred), {-1}); }

TEST(Arguments, Objects) {
  const Options options{.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                        .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                        .metrics = {"accuracy"}};
  EXPECT_EQ(options.optimizer.class_name(), "Adam");
  EXPECT_EQ(options.loss.class_name(), "SparseCategoricalCrossentropy");
  ASSERT_EQ(options.metrics.size(), 1U);
  EXPECT_EQ(options.metrics[0].identifier(), "accuracy");
}

TEST(Arguments, Strings) {
  const Options options{.optimizer = "adam", .loss = "mse", .metrics = {"mae", "mse"}};
  EXPECT_EQ(options.loss.name(), "mse");
  EXPECT_EQ(options.metrics.size(), 2U);
  EXPECT_EQ(Options().optimizer.class_name(), "RMSprop");
  EXPECT_TRUE(Options().loss.is_empty());
}

TEST(Arguments, FunctionsAndMixtures) {
  const Options options{.optimizer = optimizers::SGD(0.1),
                        .loss = distance,
                        .metrics = {metrics::TopKCategoricalAccuracy({.k = 3}), "accuracy", distance}};
  EXPECT_EQ(options.loss.name(), "loss_function");
  EXPECT_EQ(options.metrics.size(), 3U);
  const Options with_lambda{.loss = [](const Tensor& y, const Tensor& p) { return distance(y, p); }};
  EXPECT_FALSE(with_lambda.loss.is_empty());
}

TEST(Arguments, LearningRatesAreNumbersOrSchedules) {
  const optimizers::SGD sgd({.learning_rate = optimizers::schedules::CosineDecay(0.1, 100), .momentum = 0.9});
  EXPECT_TRUE(sgd.learning_rate_variable().is_empty());
  EXPECT_FALSE(optimizers::SGD(0.5).learning_rate_variable().is_empty());
}

static_assert(!std::is_convertible_v<int, losses::Loss>);
static_assert(!std::is_convertible_v<int, optimizers::Optimizer>);
static_assert(!std::is_convertible_v<int, metrics::MetricArgument>);
static_assert(!std::is_constructible_v<optimizers::Adam, const char*>);

}  // namespace
}  // namespace rhyton
