#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/keras_object.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/tests/optimizers/golden.h>

namespace rhyton::layers {
namespace {

const Tensor values = Tensor::from_data<float>({2, 2}, {1, -2, 3, -4});

TEST(Regularizers, Values) {
  EXPECT_FLOAT_EQ(static_cast<float>(regularizers::L1(0.1)(values).item()), 1.0f);
  EXPECT_FLOAT_EQ(static_cast<float>(regularizers::L2(0.1)(values).item()), 3.0f);
  EXPECT_FLOAT_EQ(static_cast<float>(regularizers::L1L2(0.1, 0.1)(values).item()), 4.0f);
  EXPECT_FLOAT_EQ(static_cast<float>(regularizers::L1L2({.l1 = 0.1})(values).item()), 1.0f);
  EXPECT_FLOAT_EQ(static_cast<float>(Regularizer("l1")(values).item()), 0.1f);
  EXPECT_FLOAT_EQ(static_cast<float>(Regularizer("l2")(values).item()), 0.3f);
  EXPECT_FLOAT_EQ(static_cast<float>(Regularizer("L2")(values).item()), 0.3f);
  EXPECT_FLOAT_EQ(static_cast<float>(Regularizer("l1_l2")(values).item()), 0.4f);
}

TEST(Regularizers, Gradients) {
  GradientTape tape({.persistent = true});
  tape.watch(values);
  const Tensor penalty = regularizers::L1L2(0.5, 0.25)(values);
  EXPECT_EQ(tape.gradient(penalty, values).to_vector(), (std::vector<double>{1.0, -1.5, 2.0, -2.5}));
}

TEST(Regularizers, ConfigsComeBack) {
  const Regularizer all[] = {regularizers::L1(0.25), regularizers::L2(0.5), regularizers::L1L2(0.25, 0.5)};
  for (const Regularizer& regularizer : all) {
    const io::Json config = regularizer.to_config();
    EXPECT_EQ(config["module"].as_string(), "keras.regularizers");
    EXPECT_EQ(Regularizer::from_config(config).to_config(), config);
  }
  EXPECT_EQ(regularizers::L2(0.5).to_config()["config"].dump(), R"({"l2": 0.5})");
  EXPECT_TRUE(Regularizer::from_config(nullptr).is_empty());
  EXPECT_TRUE(Regularizer().to_config().is_null());
}

TEST(OrthogonalRegularizer, PenaltiesAreThoseOfKeras) {
  const test::GoldenArea area("regularizers");
  for (const io::Json& golden : area.cases()) {
    SCOPED_TRACE(golden["name"].as_string());
    const io::Json config = keras_object("keras.regularizers", golden["class_name"].as_string(), golden["config"]);
    const Regularizer regularizer = Regularizer::from_config(config);
    EXPECT_EQ(regularizer.to_config().dump(), config.dump());
    const Tensor matrix = area.array(golden, "values");
    GradientTape tape;
    tape.watch(matrix);
    const Tensor penalty = regularizer(matrix);
    test::expect_close(penalty, area.array(golden, "penalty"));
    test::expect_close(tape.gradient(penalty, matrix), area.array(golden, "gradient"));
  }
  EXPECT_EQ(Regularizer("orthogonal_regularizer").to_config(), regularizers::OrthogonalRegularizer().to_config());
}

TEST(OrthogonalRegularizer, ErrorsOfKeras) {
  EXPECT_EQ(test::message_of<ValueError>([] { regularizers::OrthogonalRegularizer({.factor = -1.0}); }),
            "Invalid value for argument factor: expected a non-negative float.Received: factor=-1.0");
  EXPECT_EQ(test::message_of<ValueError>([] { regularizers::OrthogonalRegularizer({.mode = "diagonal"}); }),
            R"(Invalid value for argument `mode`. Expected one of {"rows", "columns"}. Received: mode=diagonal)");
  EXPECT_EQ(test::message_of<ValueError>([] {
              regularizers::OrthogonalRegularizer()(Tensor::zeros({2, 3, 4}));
            }),
            "Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape=(2, 3, 4)");
}

TEST(Regularizers, ErrorsOfKeras) {
  try {
    const Regularizer unknown("nonsense");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "Could not interpret regularizer identifier: nonsense");
  }
  try {
    const regularizers::L2 negative(-0.1);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "Invalid value for argument l2: expected a non-negative float.Received: l2=-0.1");
  }
  EXPECT_THROW(Regularizer()(values), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
