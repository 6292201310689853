// A train step in the form in which a model compiles it (loss, metric, gradients, optimizer in one graph) compared with
// the same step run eagerly.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/metrics/accuracy.h>
#include <rhyton/models/metrics/reduction.h>
#include <rhyton/optimizers/optimizer.h>
#include <rhyton/optimizers/schedules/exponential_decay.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton {
namespace {

constexpr std::int64_t samples = 6;

/// A classifier with all its state during training.
struct Trainer {
  explicit Trainer(const io::Json& optimizer_config) : optimizer(optimizers::deserialize(optimizer_config)) {
    optimizer.build({kernel, bias});
  }

  /// Takes x [samples, 3], classes [samples], weights [samples]; returns the loss.
  std::vector<Tensor> step(const std::vector<Tensor>& inputs) const {
    GradientTape tape;
    const Tensor logits = matmul(inputs[0], kernel.value()) + bias.value();
    const Tensor value = optimizer.scale_loss(loss(inputs[1], logits, inputs[2]));
    optimizer.apply(tape.gradient(value, std::vector<Variable>{kernel, bias}), {kernel, bias});
    accuracy.update_state(inputs[1], logits);
    mean_loss.update_state(value, Tensor::scalar(static_cast<float>(samples)));
    return {value};
  }

  std::vector<Variable> state() const {
    std::vector<Variable> all = {kernel, bias};
    for (const auto& group : {optimizer.variables(), accuracy.variables(), mean_loss.variables()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }

  Variable kernel{Tensor::from_data<float>({3, 3}, {0.1f, -0.2f, 0.3f, 0.4f, -0.5f, 0.6f, -0.7f, 0.8f, 0.9f}),
                  {.name = "kernel"}};
  Variable bias{Tensor::zeros({3}), {.name = "bias"}};
  losses::SparseCategoricalCrossentropy loss{{.from_logits = true}};
  metrics::SparseCategoricalAccuracy accuracy;
  metrics::Mean mean_loss;
  optimizers::Optimizer optimizer;
};

std::vector<Tensor> batch(int number) {
  std::vector<float> x;
  std::vector<std::int32_t> classes;
  std::vector<float> weights;
  for (int i = 0; i < samples; ++i) {
    const int seed = 7 * number + 3 * i;
    for (int k = 0; k < 3; ++k) x.push_back(static_cast<float>((seed * (k + 2)) % 11 - 5) / 4.0f);
    classes.push_back(seed % 3);
    weights.push_back(0.25f * static_cast<float>(1 + seed % 4));
  }
  return {Tensor::from_data({samples, 3}, x), Tensor::from_data({samples}, classes),
          Tensor::from_data({samples}, weights)};
}

/// Seven steps of both, with losses and all states compared.
void expect_traced_like_eager(const std::string& class_name, const io::Json& extra) {
  SCOPED_TRACE(class_name + " " + extra.dump());
  io::Json config = optimizers::Optimizer(class_name).get_config();
  config["learning_rate"] = 0.05;
  for (const auto& [key, value] : extra.items()) config[key] = value;
  const io::Json serialized = io::Json::object({{"class_name", class_name}, {"config", config}});
  const Trainer eager(serialized);
  const Trainer traced(serialized);

  std::vector<graph::FunctionInput> specs;
  for (const Tensor& input : batch(0)) specs.push_back({input.spec(), 0});
  const graph::Graph graph = graph::trace(specs, [&](const std::vector<Tensor>& in) { return traced.step(in); });
  graph::Executable executable(graph, {.plan = {.slices = 3, .check = true}});
  for (int number = 0; number < 7; ++number) {
    SCOPED_TRACE("step " + std::to_string(number));
    test::expect_close(executable(batch(number))[0], eager.step(batch(number))[0], 1e-5, 1e-6);
    const std::vector<Variable> expected = eager.state();
    const std::vector<Variable> actual = traced.state();
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(expected[i].name());
      test::expect_close(actual[i].value(), expected[i].value(), 1e-5, 1e-6);
    }
  }
}

TEST(TracedStep, EqualsTheEagerStep) {
  for (const char* name : {"SGD", "Adam", "AdamW", "RMSprop", "Adadelta", "Adagrad", "Adamax", "Ftrl", "Lion", "Nadam",
                           "Lamb", "Adafactor", "Muon", "ScheduleFreeAdamW"}) {
    expect_traced_like_eager(name, io::Json::object());
  }
  expect_traced_like_eager("SGD", io::Json::object({{"momentum", 0.9}, {"nesterov", true}, {"weight_decay", 0.1}}));
  expect_traced_like_eager("Adam", io::Json::object({{"amsgrad", true}, {"global_clipnorm", 0.5}}));
  expect_traced_like_eager("Adam", io::Json::object({{"clipnorm", 0.3}, {"loss_scale_factor", 16.0}}));
  expect_traced_like_eager("Adam", io::Json::object({{"clipvalue", 0.1}, {"use_ema", true}}));
  expect_traced_like_eager("RMSprop", io::Json::object({{"centered", true}, {"momentum", 0.5}}));
}

TEST(TracedStep, DecidesByTheIterationInTheGraph) {
  expect_traced_like_eager("SGD", io::Json::object({{"gradient_accumulation_steps", 3}}));
  expect_traced_like_eager("Adam", io::Json::object({{"gradient_accumulation_steps", 2}, {"weight_decay", 0.1}}));
  for (const char* name : {"Nadam", "Adafactor", "Muon", "ScheduleFreeAdamW"}) {
    expect_traced_like_eager(name, io::Json::object({{"gradient_accumulation_steps", 2}}));
  }
  expect_traced_like_eager("SGD", io::Json::object({{"use_ema", true}, {"ema_overwrite_frequency", 3}}));
  expect_traced_like_eager(
      "Adam", io::Json::object({{"learning_rate", serialize(optimizers::schedules::ExponentialDecay(0.1, 2, 0.5))}}));
}

TEST(TracedStep, ReadsTheLearningRateFromItsVariable) {
  const Trainer traced(serialize(optimizers::Optimizer("sgd")));
  std::vector<graph::FunctionInput> specs;
  for (const Tensor& input : batch(0)) specs.push_back({input.spec(), 0});
  graph::Executable executable(graph::trace(specs, [&](const std::vector<Tensor>& in) { return traced.step(in); }));
  traced.optimizer.set_learning_rate(0.0);
  const Tensor before = traced.kernel.value().clone();
  executable(batch(0));
  test::expect_close(traced.kernel.value(), before, 0.0, 0.0);
}

}  // namespace
}  // namespace rhyton
