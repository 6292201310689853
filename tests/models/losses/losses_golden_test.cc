#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/models/losses/loss.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::losses {
namespace {

using test::expect_close;

/// Keras omits some arguments from the configuration.
Loss make(const io::Json& golden) {
  io::Json config = golden["config"];
  for (const auto& [key, value] : golden["arguments"].items()) config[key] = value;
  return deserialize(io::Json::object({{"class_name", golden["class_name"]}, {"config", config}}));
}

TEST(LossesGolden, ValuesAndGradientsAreThoseOfKeras) {
  const test::GoldenArea area("losses");
  ASSERT_GT(area.cases().size(), 400U);
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const Loss loss = make(golden);
    const Tensor y_true = area.array(golden, "y_true");
    const Tensor y_pred = area.array(golden, "y_pred");
    GradientTape tape;
    tape.watch(y_pred);
    const Tensor value = loss(y_true, y_pred, area.array(golden, "sample_weight"), area.array(golden, "mask"));
    expect_close(value, area.array(golden, "value"));
    const Tensor gradient = tape.gradient(value, y_pred, area.array(golden, "cotangent"));
    // TensorFlow's CTC adds logarithms of float32, which are large for labels that do not fit.
    const bool is_inexact = golden["class_name"].as_string() == "CTC";
    expect_close(gradient, area.array(golden, "gradient"), is_inexact ? 1e-3 : 2e-5, is_inexact ? 2e-5 : 2e-6);
  }
}

TEST(LossesGolden, ConfigurationsAreThoseOfKeras) {
  const test::GoldenArea area("losses");
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const Loss loss = make(golden);
    io::Json expected = golden["config"];
    if (golden["arguments"].contains("delta")) expected["delta"] = golden["arguments"]["delta"];
    // Older versions of Keras refuse this argument of Tversky: it is written where it is given.
    if (golden["class_name"].as_string() == "Tversky" && expected["axis"].is_null()) expected.erase("axis");
    EXPECT_EQ(loss.get_config().dump(), expected.dump());
    const io::Json serialized = serialize(loss);
    EXPECT_EQ(serialized["module"].as_string(), "keras.losses");
    EXPECT_EQ(serialized["class_name"], golden["class_name"]);
    EXPECT_TRUE(serialized["registered_name"].is_null());
    EXPECT_EQ(serialize(deserialize(serialized)).dump(), serialized.dump());
  }
}

}  // namespace
}  // namespace rhyton::losses
