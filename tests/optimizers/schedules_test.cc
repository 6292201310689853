#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/optimizers/schedules/cosine_decay.h>
#include <rhyton/optimizers/schedules/cosine_decay_restarts.h>
#include <rhyton/optimizers/schedules/exponential_decay.h>
#include <rhyton/optimizers/schedules/inverse_time_decay.h>
#include <rhyton/optimizers/schedules/piecewise_constant_decay.h>
#include <rhyton/optimizers/schedules/polynomial_decay.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::optimizers::schedules {
namespace {

using test::message_of;

constexpr std::array<std::int64_t, 9> steps = {0, 1, 5, 9, 10, 11, 25, 40, 100};

/// `expected` and `serialized` are the results of Keras 3.15.
void check(const LearningRateSchedule& schedule, const std::array<double, 9>& expected, const std::string& serialized) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_NEAR(schedule(steps[i]), expected[i], 2e-6 * expected[i] + 1e-9) << "step " << steps[i];
  }
  EXPECT_EQ(serialize(schedule).dump(), serialized);
  EXPECT_EQ(serialize(deserialize(serialize(schedule))).dump(), serialized);
  ShapeInferenceScope scope;
  const Tensor traced = schedule(scope.placeholder({{}, int64}));
  EXPECT_EQ(traced.shape(), Shape{});
  EXPECT_EQ(traced.dtype(), float32);
}

TEST(Schedules, ExponentialDecay) {
  check(ExponentialDecay(0.1, 10, 0.5),
        {0.10000000149011612, 0.09330330044031143, 0.0707106813788414, 0.05358867719769478, 0.05000000074505806,
         0.046651650220155716, 0.01767767034471035, 0.0062500000931322575, 9.765625145519152e-05},
        R"({"module": "keras.optimizers.schedules", "class_name": "ExponentialDecay", "config": )"
        R"({"initial_learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.5, "staircase": false, )"
        R"("name": "ExponentialDecay"}, "registered_name": null})");
  check(ExponentialDecay(0.1, 10, 0.5, {.staircase = true}),
        {0.10000000149011612, 0.10000000149011612, 0.10000000149011612, 0.10000000149011612, 0.05000000074505806,
         0.05000000074505806, 0.02500000037252903, 0.0062500000931322575, 9.765625145519152e-05},
        R"({"module": "keras.optimizers.schedules", "class_name": "ExponentialDecay", "config": )"
        R"({"initial_learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.5, "staircase": true, )"
        R"("name": "ExponentialDecay"}, "registered_name": null})");
}

TEST(Schedules, InverseTimeDecay) {
  check(InverseTimeDecay(0.1, 10, 0.5),
        {0.10000000149011612, 0.0952381044626236, 0.07999999821186066, 0.06896551698446274, 0.06666667014360428,
         0.06451613456010818, 0.04444444552063942, 0.03333333507180214, 0.01666666753590107},
        R"({"module": "keras.optimizers.schedules", "class_name": "InverseTimeDecay", "config": )"
        R"({"initial_learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.5, "staircase": false, )"
        R"("name": "InverseTimeDecay"}, "registered_name": null})");
  check(InverseTimeDecay(0.1, 10, 0.5, {.staircase = true}),
        {0.10000000149011612, 0.10000000149011612, 0.10000000149011612, 0.10000000149011612, 0.06666667014360428,
         0.06666667014360428, 0.05000000074505806, 0.03333333507180214, 0.01666666753590107},
        R"({"module": "keras.optimizers.schedules", "class_name": "InverseTimeDecay", "config": )"
        R"({"initial_learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.5, "staircase": true, )"
        R"("name": "InverseTimeDecay"}, "registered_name": null})");
}

TEST(Schedules, PolynomialDecay) {
  check(PolynomialDecay(0.1, 10),
        {0.10000000149011612, 0.09001000225543976, 0.050050001591444016, 0.010090001858770847, 9.999999747378752e-05,
         9.999999747378752e-05, 9.999999747378752e-05, 9.999999747378752e-05, 9.999999747378752e-05},
        R"({"module": "keras.optimizers.schedules", "class_name": "PolynomialDecay", "config": )"
        R"({"initial_learning_rate": 0.1, "decay_steps": 10, "end_learning_rate": 0.0001, "power": 1.0, )"
        R"("cycle": false, "name": "PolynomialDecay"}, "registered_name": null})");
  check(PolynomialDecay(0.1, 10, {.end_learning_rate = 0.01, .power = 2.0, .cycle = true}),
        {0.10000000149011612, 0.08289999514818192, 0.032499998807907104, 0.010900000110268593, 0.009999999776482582,
         0.028224999085068703, 0.012500000186264515, 0.009999999776482582, 0.009999999776482582},
        R"({"module": "keras.optimizers.schedules", "class_name": "PolynomialDecay", "config": )"
        R"({"initial_learning_rate": 0.1, "decay_steps": 10, "end_learning_rate": 0.01, "power": 2.0, )"
        R"("cycle": true, "name": "PolynomialDecay"}, "registered_name": null})");
}

TEST(Schedules, CosineDecay) {
  check(CosineDecay(0.1, 20, {.alpha = 0.1}),
        {0.10000000149011612, 0.09944597631692886, 0.08681981265544891, 0.06203955411911011, 0.05499999597668648,
         0.047960445284843445, 0.010000000707805157, 0.010000000707805157, 0.010000000707805157},
        R"({"module": "keras.optimizers.schedules", "class_name": "CosineDecay", "config": )"
        R"({"initial_learning_rate": 0.1, "decay_steps": 20, "alpha": 0.1, "name": "CosineDecay", )"
        R"("warmup_target": null, "warmup_steps": 0}, "registered_name": null})");
  check(CosineDecay(0.0, 20, {.alpha = 0.01, .warmup_target = 0.2, .warmup_steps = 10}),
        {0.0, 0.020000001415610313, 0.10000000149011612, 0.17999999225139618, 0.20000000298023224, 0.19878114759922028,
         0.030996430665254593, 0.0020000000949949026, 0.0020000000949949026},
        R"({"module": "keras.optimizers.schedules", "class_name": "CosineDecay", "config": )"
        R"({"initial_learning_rate": 0.0, "decay_steps": 20, "alpha": 0.01, "name": "CosineDecay", )"
        R"("warmup_target": 0.2, "warmup_steps": 10}, "registered_name": null})");
}

TEST(Schedules, CosineDecayRestarts) {
  check(CosineDecayRestarts(0.1, 10),
        {0.10000000149011612, 0.0975528284907341, 0.04999999701976776, 0.0024471760261803865, 0.10000000149011612,
         0.09938441962003708, 0.014644661918282509, 0.08535534143447876, 0.0691341683268547},
        R"({"module": "keras.optimizers.schedules", "class_name": "CosineDecayRestarts", "config": )"
        R"({"initial_learning_rate": 0.1, "first_decay_steps": 10, "t_mul": 2.0, "m_mul": 1.0, "alpha": 0.0, )"
        R"("name": "SGDRDecay"}, "registered_name": null})");
  check(CosineDecayRestarts(0.1, 10, {.t_mul = 1.0, .m_mul = 0.5, .alpha = 0.1}),
        {0.10000000149011612, 0.09779754281044006, 0.05499999597668648, 0.012202458456158638, 0.055000003427267075,
         0.05389877036213875, 0.021250000223517418, 0.015625, 0.010087891481816769},
        R"({"module": "keras.optimizers.schedules", "class_name": "CosineDecayRestarts", "config": )"
        R"({"initial_learning_rate": 0.1, "first_decay_steps": 10, "t_mul": 1.0, "m_mul": 0.5, "alpha": 0.1, )"
        R"("name": "SGDRDecay"}, "registered_name": null})");
  check(CosineDecayRestarts(0.1, 7, {.t_mul = 1.5, .m_mul = 0.8, .alpha = 0.01, .name = "restarts"}),
        {0.10000000149011612, 0.09509795159101486, 0.019637247547507286, 0.07331906259059906, 0.06529019773006439,
         0.0550675094127655, 0.03504745289683342, 0.04214572161436081, 0.031794801354408264},
        R"({"module": "keras.optimizers.schedules", "class_name": "CosineDecayRestarts", "config": )"
        R"({"initial_learning_rate": 0.1, "first_decay_steps": 7, "t_mul": 1.5, "m_mul": 0.8, "alpha": 0.01, )"
        R"("name": "restarts"}, "registered_name": null})");
}

TEST(Schedules, PiecewiseConstantDecay) {
  check(PiecewiseConstantDecay({5, 10}, {1.0, 0.5, 0.1}), {1.0, 1.0, 1.0, 0.5, 0.5, 0.1, 0.1, 0.1, 0.1},
        R"({"module": "keras.optimizers.schedules", "class_name": "PiecewiseConstantDecay", "config": )"
        R"({"boundaries": [5, 10], "values": [1.0, 0.5, 0.1], "name": "PiecewiseConstant"}, "registered_name": null})");
}

/// A custom schedule.
class Halved final : public LearningRateScheduleImpl {
 public:
  Halved() : LearningRateScheduleImpl("Halved") {}
  Tensor call(const Tensor& step) const override { return where(step < 10.0, 1.0, Tensor::scalar(0.5f)); }
  io::Json get_config() const override { return io::Json::object(); }
};

TEST(Schedules, OwnSchedulesAreCalledAndSaved) {
  const LearningRateSchedule schedule = make_schedule<Halved>();
  EXPECT_EQ(schedule(9), 1.0);
  EXPECT_EQ(schedule(10), 0.5);
  register_schedule("Halved", [](const io::Json&) { return make_schedule<Halved>(); });
  EXPECT_EQ(deserialize(serialize(schedule))(10), 0.5);
}

TEST(ScheduleErrors, NegativeLearningRates) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(ExponentialDecay(-0.1, 10, 0.9), ValueError);
  EXPECT_THROW(InverseTimeDecay(nan, 10, 0.9), ValueError);
  EXPECT_THROW(PolynomialDecay(0.1, 10, {.end_learning_rate = -0.1}), ValueError);
  EXPECT_THROW(CosineDecay(-0.1, 10), ValueError);
  EXPECT_THROW(CosineDecayRestarts(-0.1, 10), ValueError);
  EXPECT_THROW(CosineDecay(0.0, 10, {.warmup_target = nan, .warmup_steps = 5}), ValueError);
  EXPECT_THROW(PiecewiseConstantDecay({5}, {0.1, -0.1}), ValueError);
}

TEST(ScheduleErrors, Texts) {
  const std::string expected = "Argument `decay_steps` must be > 0. Received: decay_steps=0";
  EXPECT_EQ(message_of<ValueError>([] { ExponentialDecay(0.1, 0, 0.5); }), expected);
  EXPECT_EQ(message_of<ValueError>([] { InverseTimeDecay(0.1, 0, 0.5); }), expected);
  EXPECT_EQ(message_of<ValueError>([] { PolynomialDecay(0.1, 0); }), expected);
  EXPECT_EQ(message_of<ValueError>([] { CosineDecay(0.1, 0); }), expected);
  EXPECT_EQ(message_of<ValueError>([] { CosineDecayRestarts(0.1, 0); }),
            "Argument `first_decay_steps` must be > 0. Received: first_decay_steps=0");
  EXPECT_EQ(
      message_of<ValueError>([] { PiecewiseConstantDecay({1}, {1.0}); }),
      "The length of boundaries should be 1 less than the length of values. Received: boundaries=[1] of length 1, "
      "and values=[1.0] of length 1.");
  EXPECT_THROW(deserialize(io::Json::object({{"class_name", "Nonsense"}, {"config", io::Json::object()}})), TypeError);
}

}  // namespace
}  // namespace rhyton::optimizers::schedules
