// A replica fails during training: the usual error, and no state is lost.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/framework/distribute/training_setup.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::distribute {
namespace {

using test::message_of;

/// The values that a failing step must not change. In eager execution ops act at once: moving averages have already
/// changed, as on one device.
std::vector<std::vector<double>> values_of(const models::Model& model) {
  std::vector<std::vector<double>> values;
  const bool eagerly = model.compile_options().run_eagerly;
  for (const Variable& variable : eagerly ? model.trainable_weights() : model.weights())
    values.push_back(variable.stored_value().to_vector());
  for (const Variable& variable : model.optimizer().variables()) values.push_back(variable.stored_value().to_vector());
  return values;
}

class MirroredFailures : public testing::TestWithParam<bool> {
 protected:
  static constexpr std::int64_t samples = 12;

  static models::Model classifier(bool eagerly) {
    set_random_seed(1);
    models::Sequential model({layers::Input({.shape = {5}}), layers::Dense(4, {.activation = "relu"}),
                              layers::BatchNormalization(), layers::Dense(3)});
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                   .metrics = {"accuracy"},
                   .run_eagerly = eagerly});
    return model;
  }

  /// Labels in [0, 3), except for one.
  static Tensor labels(std::int64_t bad_sample, std::int64_t bad_label) {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < samples; ++i) values.push_back(i == bad_sample ? bad_label : i % 3);
    return Tensor::from_data<std::int64_t>({samples}, values);
  }

  const Tensor x = random_normal({samples, 5}, 1, 0);
  const MirroredStrategy strategy{logical_cpus(3)};
};

TEST_P(MirroredFailures, ALabelOutOfRangeIsTheUsualError) {
  const std::string expected = message_of<InvalidArgumentError>(
      [&] { classifier(GetParam()).fit(x, labels(5, 7), {.batch_size = 12, .verbose = 0, .shuffle = false}); });
  ASSERT_NE(expected, "");

  const auto scope = strategy.scope();
  const models::Model model = classifier(GetParam());
  model.fit(x, labels(0, 0), {.batch_size = 12, .verbose = 0});
  const std::vector<std::vector<double>> before = values_of(model);
  // Of the first, the middle and the last replica.
  for (const std::int64_t bad : {0, 5, 11}) {
    SCOPED_TRACE("sample " + std::to_string(bad));
    const std::string message = message_of<InvalidArgumentError>(
        [&] { model.fit(x, labels(bad, 7), {.batch_size = 12, .verbose = 0, .shuffle = false}); });
    EXPECT_NE(message.find('7'), std::string::npos) << message;
    EXPECT_EQ(message.substr(0, 40), expected.substr(0, 40));
    EXPECT_EQ(values_of(model), before) << "variables keep their values";
  }
}

TEST_P(MirroredFailures, TrainingGoesOnAfterwards) {
  const auto train = [&](bool fails) {
    const models::Model model = classifier(GetParam());
    model.fit(x, labels(0, 0), {.batch_size = 6, .verbose = 0, .shuffle = false});
    if (fails) {
      EXPECT_THROW(model.fit(x, labels(2, 7), {.batch_size = 6, .verbose = 0, .shuffle = false}), InvalidArgumentError);
    }
    model.fit(x, labels(0, 0), {.batch_size = 6, .epochs = 2, .verbose = 0, .shuffle = false});
    EXPECT_NO_THROW(strategy.impl()->variables().require_equal());
    return values_of(model);
  };
  const auto scope = strategy.scope();
  EXPECT_EQ(train(true), train(false)) << "bit by bit as if nothing had happened";
}

TEST_P(MirroredFailures, EvaluationAndPredictionWorkAfterwards) {
  const auto scope = strategy.scope();
  const models::Model model = classifier(GetParam());
  EXPECT_THROW(model.fit(x, labels(11, -1), {.batch_size = 12, .verbose = 0}), InvalidArgumentError);
  EXPECT_EQ(model.predict(x, {.verbose = 0}).shape(), (Shape{samples, 3}));
  EXPECT_GT(model.evaluate(x, labels(0, 0), {.verbose = 0}).at("loss"), 0.0);
}

INSTANTIATE_TEST_SUITE_P(CompiledAndEager, MirroredFailures, testing::Bool(),
                         [](const auto& info) { return info.param ? "Eager" : "Compiled"; });

/// Adds the number of samples of each replica to a weight, which replicas must not do without a sum.
class CountsItsSamples final : public layers::LayerImpl {
 public:
  explicit CountsItsSamples(bool sums) : LayerImpl(layers::LayerOptions{}), sums_(sums) {}

  std::string class_name() const override { return "CountsItsSamples"; }
  void build(const std::vector<Shape>&) override {
    seen_ = add_weight({.shape = {}, .initializer = "zeros", .trainable = false, .name = "seen"});
  }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    if (training) {
      const Tensor own = sum(abs(inputs[0]));
      seen_.assign(seen_ + (sums_ ? all_reduce(own) : own));
    }
    return {inputs[0]};
  }

 private:
  bool sums_;
  Variable seen_;
};

/// During its lifetime, `fit` compares the replicas' variables.
class CheckScope {
 public:
  CheckScope() { ::setenv("RHYTON_CHECK_REPLICAS", "1", 1); }
  ~CheckScope() { ::unsetenv("RHYTON_CHECK_REPLICAS"); }
  CheckScope(const CheckScope&) = delete;
  CheckScope& operator=(const CheckScope&) = delete;
};

class CheckOfReplicas : public testing::Test {
 protected:
  static void fit(bool sums) {
    const models::Sequential model(
        {layers::Input({.shape = {5}}), layers::make_layer<CountsItsSamples>(sums), layers::Dense(2)});
    model.compile({.optimizer = optimizers::Adam(), .loss = "mse"});
    model.fit(random_normal({12, 5}, 1, 0), random_normal({12, 2}, 2, 0), {.batch_size = 6, .epochs = 2, .verbose = 0});
  }

  const MirroredStrategy strategy{logical_cpus(3)};
};

TEST_F(CheckOfReplicas, PassesWhereAllAreEqual) {
  const CheckScope check;
  const auto scope = strategy.scope();
  EXPECT_NO_THROW(fit(true));
}

TEST_F(CheckOfReplicas, FindsAWeightThatIsNot) {
  const CheckScope check;
  const auto scope = strategy.scope();
  const std::string message = message_of<RuntimeError>([] { fit(false); });
  EXPECT_NE(message.find("/seen' of replica 1 is not equal to that of replica 0"), std::string::npos) << message;
}

TEST_F(CheckOfReplicas, IsNotMadeUnasked) {
  const auto scope = strategy.scope();
  EXPECT_NO_THROW(fit(false));
}

}  // namespace
}  // namespace rhyton::distribute
