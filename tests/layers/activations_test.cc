#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/tests/layers/golden_cases.h>

namespace rhyton::layers {
namespace {

using test::expect_close;
using test::GoldenCases;

const GoldenCases& golden_activations() {
  static const GoldenCases cases("activations");
  return cases;
}

/// Calls the function of a case with arguments.
Tensor call_with_arguments(const std::string& function, const io::Json& arguments, const Tensor& x) {
  const auto number = [&](const char* key, double fallback) { return arguments.get_or(key, fallback); };
  if (function == "relu") {
    return activations::relu(x, number("negative_slope", 0),
                             number("max_value", std::numeric_limits<double>::infinity()), number("threshold", 0));
  }
  if (function == "leaky_relu") return activations::leaky_relu(x, number("negative_slope", 0.2));
  if (function == "elu") return activations::elu(x, number("alpha", 1));
  if (function == "celu") return activations::celu(x, number("alpha", 1));
  if (function == "gelu") return activations::gelu(x, arguments.get_or("approximate", false));
  if (function == "soft_shrink") return activations::soft_shrink(x, number("threshold", 0.5));
  if (function == "hard_shrink") return activations::hard_shrink(x, number("threshold", 0.5));
  if (function == "squareplus") return activations::squareplus(x, number("b", 4));
  if (function == "threshold") return activations::threshold(x, number("threshold", 0), number("default_value", 0));
  const int axis = arguments.get_or("axis", -1);
  if (function == "softmax") return activations::softmax(x, axis);
  if (function == "log_softmax") return activations::log_softmax(x, axis);
  if (function == "sparsemax") return activations::sparsemax(x, axis);
  if (function == "glu") return activations::glu(x, axis);
  throw NotFoundError("No call for activation " + function);
}

class GoldenActivations : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenActivations, EqualsKeras) {
  const GoldenCases& all = golden_activations();
  const io::Json& golden = all.find(GetParam());
  const Tensor x = all.array(golden, "x");
  GradientTape tape;
  tape.watch(x);
  const bool has_arguments = !golden["arguments"].empty();
  const Tensor y = has_arguments ? call_with_arguments(golden["function"].as_string(), golden["arguments"], x)
                                 : ActivationFunction(golden["id"].as_string())(x);
  expect_close(y, all.array(golden, "y"), 2e-6, "y");
  // linear is x itself.
  if (!y.is_same(x)) {
    expect_close(tape.gradient(y, x, all.array(golden, "cotangent")), all.array(golden, "gradient"), 5e-6, "gradient");
  }
  if (!has_arguments) {
    EXPECT_EQ(ActivationFunction(golden["id"].as_string()).to_config(), golden["function"]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GoldenActivations, ::testing::ValuesIn(golden_activations().names()),
                         [](const auto& info) { return test::test_name(info.param); });

TEST(ActivationFunction, ConvertsFromNamesFunctionsAndLambdas) {
  EXPECT_TRUE(ActivationFunction().is_linear());
  EXPECT_TRUE(ActivationFunction("linear").is_linear());
  EXPECT_TRUE(ActivationFunction(activations::linear).is_linear());
  EXPECT_EQ(ActivationFunction(activations::gelu).name(), "gelu");
  EXPECT_EQ(ActivationFunction(relu).name(), "relu");
  EXPECT_EQ(ActivationFunction(std::string("swish")).name(), "silu");

  const Tensor x = Tensor::from_data<float>({2}, {-1, 2});
  const ActivationFunction doubled = [](const Tensor& t) { return multiply(t, 2.0); };
  EXPECT_FALSE(doubled.is_linear());
  EXPECT_TRUE(doubled.name().empty());
  EXPECT_EQ(doubled(x).to_vector(), (std::vector<double>{-2, 4}));
  EXPECT_THROW(doubled.to_config(), ValueError);
}

TEST(Activations, Relu6OfIntegersIsOfTheirDtype) {
  const Tensor x = Tensor::from_data<std::uint8_t>({3}, {0, 5, 200});
  EXPECT_EQ(activations::relu6(x).dtype(), uint8);
  EXPECT_EQ(activations::relu6(x).to_vector(), (std::vector<double>{0, 5, 6}));
}

TEST(ActivationFunction, UnknownNamesThrowKerasSentence) {
  try {
    const ActivationFunction unknown("nonsense");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(), "Could not interpret activation function identifier: nonsense");
  }
  EXPECT_THROW(ActivationFunction("threshold")(Tensor::zeros({2})), TypeError);
}

TEST(ActivationFunction, RegisteredFunctionsAreSavedByName) {
  activations::register_activation("test_cubed", [](const Tensor& x) { return multiply(x, square(x)); });
  const ActivationFunction cubed = "test_cubed";
  const ActivationFunction again = ActivationFunction::from_config(cubed.to_config());
  EXPECT_EQ(again(Tensor::from_data<float>({1}, {2})).item(), 8);
  EXPECT_THROW(activations::register_activation("relu", [](const Tensor& x) { return x; }), ValueError);
}

}  // namespace
}  // namespace rhyton::layers
