#include <rhyton/optimizers/optimizer.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/adam_w.h>
#include <rhyton/optimizers/adamax.h>
#include <rhyton/optimizers/class_names.h>
#include <rhyton/optimizers/ftrl.h>
#include <rhyton/optimizers/lion.h>
#include <rhyton/optimizers/nadam.h>
#include <rhyton/optimizers/rmsprop.h>
#include <rhyton/optimizers/schedules/exponential_decay.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::optimizers {
namespace {

using test::expect_close;
using test::keras_message;
using test::message_of;

Variable variable(const std::vector<float>& values, const std::string& path = "dense/kernel") {
  const auto size = static_cast<std::int64_t>(values.size());
  return Variable(Tensor::from_data({size}, values), {.name = path.substr(path.rfind('/') + 1), .path = path});
}

Tensor vector(std::initializer_list<float> values) {
  return Tensor::from_data({static_cast<std::int64_t>(values.size())}, values);
}

/// A custom optimizer.
class Momentum final : public OptimizerImpl {
 public:
  explicit Momentum(const OptimizerOptions& options = {}) : OptimizerImpl("Momentum", options) {}

  void make_slots(const std::vector<Variable>& variables) override { slots_ = add_slots(variables, "momentum"); }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const Variable& slot = slots_[index_of(variable)];
    slot.assign(0.9 * slot.value() - learning_rate * gradient);
    variable.assign_add(slot.value());
  }

 private:
  std::vector<Variable> slots_;
};

TEST(Optimizer, StringsInAnyCase) {
  EXPECT_EQ(Optimizer("adam").class_name(), "Adam");
  EXPECT_EQ(Optimizer("ADAMW").class_name(), "AdamW");
  EXPECT_EQ(Optimizer("RMSprop").class_name(), "RMSprop");
  EXPECT_EQ(Optimizer(std::string("Sgd")).class_name(), "SGD");
}

TEST(Optimizer, NamesAreUnique) {
  context().clear_session();
  EXPECT_EQ(AdamW().name(), "adam_w");
  EXPECT_EQ(AdamW().name(), "adam_w_1");
  EXPECT_EQ(RMSprop().name(), "rm_sprop");
  EXPECT_EQ(SGD({.name = "mine"}).name(), "mine");
}

TEST(Optimizer, SlotsAreNamedByPath) {
  const Variable kernel = variable({1, 2}, "sequential/dense/kernel");
  const Adam adam({.name = "adam"});
  adam.build({kernel});
  EXPECT_EQ(adam.variables()[2].path(), "adam/sequential_dense_kernel_momentum");
  EXPECT_EQ(adam.variables()[3].name(), "sequential_dense_kernel_velocity");
}

TEST(Optimizer, EmptyGradientsLeaveTheirVariablesAlone) {
  const Variable a = variable({1, 2}, "a");
  const Variable b = variable({3, 4}, "b");
  const Adam adam({.learning_rate = 0.5, .weight_decay = 0.1});
  adam.apply_gradients({{Tensor(), a}, {vector({1, 1}), b}});
  expect_close(a.value(), vector({1, 2}));
  EXPECT_LT(b.value().to_vector()[0], 3.0);
  EXPECT_EQ(adam.iterations().item(), 1.0);
  EXPECT_EQ(adam.variables().size(), 6U);
}

TEST(Optimizer, EmptyGradientsWithAccumulation) {
  const Variable a = variable({1}, "a");
  const Variable b = variable({2}, "b");
  const SGD sgd({.learning_rate = 1.0, .gradient_accumulation_steps = 2});
  sgd.apply({vector({1}), Tensor()}, {a, b});
  expect_close(a.value(), vector({1}));
  sgd.apply({vector({3}), Tensor()}, {a, b});
  expect_close(a.value(), vector({-1}));
  expect_close(b.value(), vector({2}));
}

TEST(Optimizer, AnUpdateDiscardsWhatVariablesWithoutAGradientHaveAccumulated) {
  const Variable a = variable({1}, "a");
  const Variable b = variable({2}, "b");
  const SGD sgd({.learning_rate = 1.0, .gradient_accumulation_steps = 2});
  sgd.apply({vector({1}), vector({8})}, {a, b});
  sgd.apply({vector({1}), Tensor()}, {a, b});
  expect_close(b.value(), vector({2}));
  for (const std::size_t accumulator : {2, 3}) expect_close(sgd.variables()[accumulator].value(), vector({0}));
  sgd.apply({vector({1}), vector({1})}, {a, b});
  sgd.apply({vector({1}), vector({1})}, {a, b});
  expect_close(b.value(), vector({1}));
}

TEST(Optimizer, AGradientThatIsNanIsNotHiddenInAMaximum) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Variable a = variable({1, 2}, "a");
  const Adam adam({.amsgrad = true});
  adam.apply({vector({1, 1})}, {a});
  adam.apply({vector({nan, 1})}, {a});
  EXPECT_TRUE(std::isnan(adam.variables()[4].value().to_vector()[0]));
  EXPECT_FALSE(std::isnan(adam.variables()[4].value().to_vector()[1]));

  const Variable b = variable({1, 2}, "b");
  const Adamax adamax;
  adamax.apply({vector({nan, 1})}, {b});
  adamax.apply({vector({1, 1})}, {b});
  EXPECT_TRUE(std::isnan(adamax.variables()[3].value().to_vector()[0]));
  EXPECT_EQ(adamax.variables()[3].value().to_vector()[1], 1.0);
}

TEST(Optimizer, AccumulationLeavesSlotsAloneUntilItsTurn) {
  const Variable a = variable({1}, "a");
  const Adam adam({.learning_rate = 0.1, .weight_decay = 0.5, .gradient_accumulation_steps = 2});
  adam.apply({vector({1})}, {a});
  expect_close(a.value(), vector({1}));
  expect_close(adam.variables()[3].value(), vector({0}));
  adam.apply({vector({1})}, {a});
  EXPECT_LT(a.value().item(), 0.9);
  EXPECT_NEAR(adam.variables()[3].value().item(), 0.1, 1e-6);
}

TEST(Optimizer, LearningRateIsSetAndRead) {
  const Variable a = variable({1}, "a");
  const SGD sgd(0.5);
  EXPECT_EQ(sgd.learning_rate().item(), 0.5);
  sgd.set_learning_rate(0.25);
  EXPECT_EQ(sgd.learning_rate_variable().value().item(), 0.25);
  sgd.apply({vector({2})}, {a});
  expect_close(a.value(), vector({0.5}));
  EXPECT_EQ(sgd.get_config()["learning_rate"].as_double(), 0.25);
  EXPECT_EQ(SGD(0.01).get_config()["learning_rate"].dump(), "0.009999999776482582");
}

TEST(Optimizer, TheNadamOfKeras2NamesADecayOfItsMomentum) {
  // Neither is a decay of the learning rate, as it is in the configurations of Keras 2's other optimizers.
  for (const char* const key : {"decay", "schedule_decay"}) {
    const Nadam nadam = Nadam::from_config(io::Json::object({{"learning_rate", 0.01}, {key, 0.004}}));
    EXPECT_TRUE(nadam.get_config()["learning_rate"].is_number()) << key;
  }
  EXPECT_TRUE(
      Adam::from_config(io::Json::object({{"lr", 0.01}, {"decay", 0.004}})).get_config()["learning_rate"].is_object());
}

TEST(Optimizer, SchedulesSeeTheIterations) {
  const Variable a = variable({0}, "a");
  const SGD sgd({.learning_rate = schedules::ExponentialDecay(1.0, 1, 0.5)});
  EXPECT_TRUE(sgd.learning_rate_variable().is_empty());
  EXPECT_EQ(sgd.variables().size(), 1U);
  for (int i = 0; i < 3; ++i) sgd.apply({vector({1})}, {a});
  expect_close(a.value(), vector({-1.75}));
  EXPECT_EQ(sgd.learning_rate().item(), 0.125);
  EXPECT_EQ(message_of<TypeError>([&] { sgd.set_learning_rate(0.1); }),
            "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` constructor "
            "argument, hence its learning rate is not settable. If you need the learning rate to be settable, you "
            "should instantiate the optimizer with a float `learning_rate` argument.");
  const io::Json serialized = serialize(sgd);
  EXPECT_EQ(serialized["config"]["learning_rate"]["module"].as_string(), "keras.optimizers.schedules");
  EXPECT_EQ(serialize(deserialize(serialized)).dump(), serialized.dump());
}

TEST(Optimizer, TwoOptimizersOverTheSameVariables) {
  const Variable a = variable({1}, "a");
  const SGD first(1.0);
  const Adam second(0.1);
  first.apply({vector({0.5})}, {a});
  second.apply({vector({1})}, {a});
  EXPECT_NEAR(a.value().item(), 0.4, 1e-5);
}

TEST(Optimizer, OwnOptimizersAreCalledAndSaved) {
  context().clear_session();
  const Variable a = variable({1}, "a");
  const Optimizer momentum = make_optimizer<Momentum>(OptimizerOptions{.learning_rate = 0.5});
  EXPECT_EQ(momentum.name(), "momentum");
  momentum.apply({vector({1})}, {a});
  momentum.apply({vector({1})}, {a});
  expect_close(a.value(), vector({1 - 0.5 - 0.95}));
  register_optimizer("Momentum", [](const io::Json& config) {
    return make_optimizer<Momentum>(
        OptimizerOptions{.learning_rate = config["learning_rate"].as_double(), .name = config["name"].as_string()});
  });
  EXPECT_EQ(serialize(deserialize(serialize(momentum))).dump(), serialize(momentum).dump());
}

TEST(Optimizer, LossScale) {
  const SGD sgd({.loss_scale_factor = 8.0});
  EXPECT_EQ(sgd.scale_loss(Tensor::scalar(2.0f)).item(), 16.0);
  EXPECT_EQ(SGD().scale_loss(Tensor::scalar(2.0f)).item(), 2.0);
}

TEST(Optimizer, WeightDecayExceptions) {
  const Variable a = variable({1}, "a");
  const Variable b = variable({1}, "b");
  const SGD sgd({.learning_rate = 1.0, .weight_decay = 0.5});
  sgd.exclude_from_weight_decay({b});
  sgd.apply({vector({0}), vector({0})}, {a, b});
  expect_close(a.value(), vector({0.5}));
  expect_close(b.value(), vector({1}));
  EXPECT_EQ(message_of<ValueError>([&] { sgd.exclude_from_weight_decay({a}); }),
            "`exclude_from_weight_decay()` can only be configured before the optimizer is built.");
}

TEST(Optimizer, Float64VariablesAreUpdatedInFloat64) {
  const Variable a(Tensor::from_data<double>({1}, {1.0}), {.name = "a"});
  const Adam adam({.learning_rate = 0.5, .clipnorm = 1.0});
  adam.apply({Tensor::from_data<double>({1}, {2.0})}, {a});
  EXPECT_EQ(a.dtype(), float64);
  EXPECT_NEAR(a.value().item(), 1 - 0.5 / (1 + 1e-7 / std::sqrt(0.001)), 1e-12);
}

TEST(Optimizer, NothingLooksAtValues) {
  for (const char* name : {"sgd", "adam", "adamw", "rmsprop", "adadelta", "adagrad", "adamax", "ftrl", "lion", "nadam",
                           "lamb", "adafactor", "muon", "schedulefreeadamw"}) {
    SCOPED_TRACE(name);
    io::Json config = Optimizer(name).get_config();
    config["weight_decay"] = 0.1;
    config["global_clipnorm"] = 1.0;
    config["use_ema"] = true;
    config["ema_overwrite_frequency"] = 2;
    config["gradient_accumulation_steps"] = 2;
    const Optimizer optimizer = deserialize(io::Json::object({{"class_name", name}, {"config", config}}));
    const Variable a = variable({1, 2}, "a");
    ShapeInferenceScope scope;
    optimizer.apply({scope.placeholder(a.spec())}, {a});
    EXPECT_EQ(optimizer.learning_rate().shape(), Shape{});
  }
}

TEST(OptimizerErrors, Texts) {
  EXPECT_EQ(message_of<ValueError>([] { Optimizer("nonsense"); }), keras_message("unknown_optimizer"));
  EXPECT_EQ(message_of<ValueError>([] { SGD({.momentum = 2.0}); }), keras_message("momentum_2"));
  EXPECT_EQ(message_of<ValueError>([] { SGD({.clipnorm = 1.0, .clipvalue = 1.0}); }), keras_message("two_clips"));
  EXPECT_EQ(message_of<ValueError>([] { SGD({.use_ema = true, .ema_momentum = 2.0}); }),
            keras_message("ema_momentum_2"));
  EXPECT_EQ(message_of<ValueError>([] { AdamW({.weight_decay = std::nullopt}); }),
            keras_message("adamw_weight_decay_none"));
  EXPECT_EQ(message_of<ValueError>([] {
              SGD::from_config(io::Json::object({{"nonsense", 1}}));
            }),
            keras_message("optimizer_unknown_argument"));
  EXPECT_EQ(message_of<ValueError>([] {
              SGD::from_config(io::Json::object({{"learning_rate", "fast"}}));
            }),
            keras_message("learning_rate_text"));
  EXPECT_NO_THROW(SGD({.clipnorm = -1.0}));
  EXPECT_EQ(message_of<ValueError>([] { SGD({.gradient_accumulation_steps = 1}); }),
            "`gradient_accumulation_steps` must be an integer >= 2. Received: gradient_accumulation_steps=1");
  EXPECT_EQ(message_of<ValueError>([] { SGD({.use_ema = true, .ema_overwrite_frequency = 0}); }),
            "`ema_overwrite_frequency` must be an integer >= 1 or None. Received: ema_overwrite_frequency=0");
  EXPECT_THROW(deserialize(io::Json::object({{"class_name", "Nonsense"}, {"config", io::Json::object()}})), TypeError);
}

TEST(OptimizerErrors, OfFtrlAndLion) {
  EXPECT_EQ(message_of<ValueError>([] { Ftrl({.initial_accumulator_value = -0.1}); }),
            keras_message("ftrl_accumulator"));
  EXPECT_EQ(message_of<ValueError>([] { Ftrl({.learning_rate_power = 0.5}); }), keras_message("ftrl_power"));
  EXPECT_EQ(message_of<ValueError>([] { Ftrl({.l1_regularization_strength = -1.0}); }), keras_message("ftrl_l1"));
  EXPECT_EQ(message_of<ValueError>([] { Ftrl({.l2_regularization_strength = -1.0}); }), keras_message("ftrl_l2"));
  EXPECT_EQ(message_of<ValueError>([] { Ftrl({.l2_shrinkage_regularization_strength = -1.0}); }),
            keras_message("ftrl_shrinkage"));
  EXPECT_EQ(message_of<ValueError>([] { Lion({.beta_1 = 0.0}); }), keras_message("lion_beta_1"));
}

TEST(OptimizerErrors, NegativeLearningRates) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of<ValueError>([] { SGD({.learning_rate = -0.1}); }),
            "Argument `learning_rate` must be >= 0. Received: learning_rate=-0.1");
  EXPECT_EQ(message_of<ValueError>([&] { Adam({.learning_rate = nan}); }),
            "Argument `learning_rate` must be >= 0. Received: learning_rate=nan");
  const SGD sgd({.learning_rate = 0.5});
  EXPECT_THROW(sgd.set_learning_rate(-1e-9), ValueError);
  EXPECT_THROW(sgd.set_learning_rate(nan), ValueError);
  EXPECT_EQ(sgd.learning_rate().item(), 0.5);
  EXPECT_THROW(deserialize(io::Json::parse(R"({"class_name": "SGD", "config": {"learning_rate": -1.0}})")), ValueError);
  EXPECT_NO_THROW(SGD({.learning_rate = 0.0}));
}

TEST(OptimizerErrors, Gradients) {
  const Variable a = variable({1}, "a");
  const Variable b = variable({1}, "b");
  const SGD sgd;
  EXPECT_NE(message_of<ValueError>([&] { sgd.apply({vector({1})}); }).find("the optimizer must already be built"),
            std::string::npos);
  sgd.build({a, b});
  EXPECT_EQ(message_of<ValueError>([&] { sgd.apply({vector({1})}); }), keras_message("optimizer_other_variables"));
  EXPECT_EQ(message_of<ValueError>([&] {
              sgd.apply({Tensor(), Tensor()}, {a, b});
            }),
            "No gradients provided for any variable.");
  EXPECT_NE(message_of<ValueError>([&] { sgd.apply({vector({1})}, {variable({1}, "c")}); }).find("Unknown variable: "),
            std::string::npos);
  EXPECT_THROW(sgd.apply({vector({1})}, {a, b}), ValueError);
  EXPECT_THROW(sgd.apply({vector({1, 2})}, {a}), Error);
}

}  // namespace
}  // namespace rhyton::optimizers
