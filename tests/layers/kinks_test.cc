// At a kink or a tie of a function, the gradient is that of Keras on TensorFlow.

#include <limits>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/support/kink_cases.h>

namespace rhyton::layers {
namespace {

using test::expect_keras_kinks;
using test::kink_cases;
using test::KinkCase;

Tensor activation(const KinkCase& golden, const Tensor& x) {
  const auto number = [&](const char* key, double fallback) { return golden.arguments.get_or(key, fallback); };
  if (golden.arguments.empty()) return ActivationFunction(golden.id)(x);
  if (golden.id == "relu") {
    return activations::relu(x, number("negative_slope", 0),
                             number("max_value", std::numeric_limits<double>::infinity()), number("threshold", 0));
  }
  if (golden.id == "leaky_relu") return activations::leaky_relu(x, number("negative_slope", 0.2));
  if (golden.id == "elu") return activations::elu(x, number("alpha", 1));
  if (golden.id == "celu") return activations::celu(x, number("alpha", 1));
  if (golden.id == "soft_shrink") return activations::soft_shrink(x, number("threshold", 0.5));
  if (golden.id == "hard_shrink") return activations::hard_shrink(x, number("threshold", 0.5));
  if (golden.id == "threshold") {
    return activations::threshold(x, number("threshold", 0), number("default_value", 0));
  }
  if (golden.id == "sparsemax") return activations::sparsemax(x, golden.arguments.get_or("axis", -1));
  throw NotFoundError("No call for activation " + golden.id);
}

Tensor op(const KinkCase& golden, const std::vector<Tensor>& inputs) {
  const std::vector<int> axes = golden.arguments.contains("axis")
                                    ? std::vector<int>{static_cast<int>(golden.arguments["axis"].as_int())}
                                    : std::vector<int>();
  const Tensor& x = inputs[0];
  if (golden.id == "maximum") return maximum(x, inputs[1]);
  if (golden.id == "minimum") return minimum(x, inputs[1]);
  if (golden.id == "add") return x + inputs[1];
  if (golden.id == "subtract") return x - inputs[1];
  if (golden.id == "multiply") return x * inputs[1];
  if (golden.id == "power") return power(x, inputs[1]);
  if (golden.id == "absolute") return abs(x);
  if (golden.id == "square") return square(x);
  if (golden.id == "sign") return sign(x);
  if (golden.id == "floor") return floor(x);
  if (golden.id == "ceil") return ceil(x);
  if (golden.id == "round") return round(x);
  if (golden.id == "clip") {
    return clip_by_value(x, golden.arguments["x_min"].as_double(), golden.arguments["x_max"].as_double());
  }
  if (golden.id == "max") return max(x, axes);
  if (golden.id == "min") return min(x, axes);
  if (golden.id == "prod") return prod(x, axes);
  if (golden.id == "logsumexp") return logsumexp(x, axes);
  if (golden.id == "var") return variance(x, axes);
  throw NotFoundError("No call for op " + golden.id);
}

TEST(Kinks, ActivationsAreKerass) {
  const std::vector<KinkCase> cases = kink_cases("activation");
  ASSERT_GT(cases.size(), 40U);
  for (const KinkCase& golden : cases) {
    expect_keras_kinks(golden, [&](const std::vector<Tensor>& in) { return activation(golden, in[0]); });
  }
}

TEST(Kinks, OpsAreKerass) {
  const std::vector<KinkCase> cases = kink_cases("op");
  ASSERT_GT(cases.size(), 20U);
  for (const KinkCase& golden : cases) {
    expect_keras_kinks(golden, [&](const std::vector<Tensor>& in) { return op(golden, in); });
  }
}

TEST(Kinks, LayersAreKerass) {
  const std::vector<KinkCase> cases = kink_cases("layer");
  ASSERT_GT(cases.size(), 7U);
  for (const KinkCase& golden : cases) {
    const Layer layer = deserialize(io::Json::object({{"class_name", golden.id}, {"config", golden.arguments}}));
    expect_keras_kinks(golden, [&](const std::vector<Tensor>& in) { return layer.impl()->invoke(in, {})[0]; });
  }
}

// In bfloat16 comparisons use the values in the half type; all the points are exact in it.
TEST(Kinks, ActivationsInBFloat16HaveTheSameSlopes) {
  for (const KinkCase& golden : kink_cases("activation")) {
    if (!golden.arguments.empty() || golden.id == "sparsemax") continue;
    const auto function = [&](const std::vector<Tensor>& in) {
      return cast(activation(golden, cast(in[0], DType::bfloat16)), DType::float32);
    };
    expect_keras_kinks(golden, function, 0.03, 0.03);
  }
}

}  // namespace
}  // namespace rhyton::layers
