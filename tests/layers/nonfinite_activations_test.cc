// Activations and their derivatives at NaN, infinities and 0, as Keras has them on TensorFlow, eagerly and compiled.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/activations.h>
#include <rhyton/tests/framework/ops/eager_and_compiled.h>

namespace rhyton {
namespace {

using Function = Tensor (*)(const Tensor&);
using Values = std::vector<double>;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double selu_scale = 1.0507009873554805;

/// The arguments of all expectations below.
const Values& points() {
  static const Values values = {nan_value, inf, -inf, 0.0, 1.0, -1.0};
  return values;
}

Values derivative(const graph::Function& with_derivatives, DType dtype, bool is_compiled, std::size_t order) {
  const Tensor x = cast(Tensor::from_data({static_cast<std::int64_t>(points().size())}, points()), dtype);
  const std::vector<Tensor> results = is_compiled ? test::compiled(with_derivatives, {x}) : with_derivatives({x});
  return results.at(order).to_vector();
}

/// y and its first derivative, and where it has a second one that too.
graph::Function with_derivatives(Function function, bool has_second) {
  return [=](const std::vector<Tensor>& in) {
    const Tensor& x = in[0];
    GradientTape outer;
    outer.watch(x);
    GradientTape inner;
    inner.watch(x);
    const Tensor y = function(x);
    const Tensor first = inner.gradient(y, x);
    std::vector<Tensor> results{y, first};
    if (has_second) results.push_back(outer.gradient(first, x));
    return results;
  };
}

void expect_alike(const Values& values, const Values& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    SCOPED_TRACE("at " + std::to_string(points()[i]));
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(values[i])) << values[i];
    } else if (std::isinf(expected[i])) {
      EXPECT_EQ(values[i], expected[i]);
    } else {
      EXPECT_NEAR(values[i], expected[i], tolerance);
    }
  }
}

/// `expected`: of y, of the first derivative, and of the second one where TensorFlow has it.
void expect_values(Function function, const std::vector<Values>& expected) {
  const graph::Function all = with_derivatives(function, expected.size() > 2);
  for (const DType dtype : {float32, float64}) {
    for (const bool is_compiled : {false, true}) {
      for (std::size_t order = 0; order < expected.size(); ++order) {
        SCOPED_TRACE(std::string(name_of(dtype)) + (is_compiled ? ", compiled" : ", eager") + ", derivative " +
                     std::to_string(order));
        expect_alike(derivative(all, dtype, is_compiled, order), expected[order], 2e-6);
      }
    }
  }
}

TEST(NonfiniteActivations, Elu) {
  const double e = std::exp(-1.0);
  expect_values([](const Tensor& x) { return activations::elu(x); },
                {{nan_value, inf, -1, 0, 1, e - 1}, {1, 1, 0, 1, 1, e}, {0, 0, 0, 0, 0, e}});
  expect_values([](const Tensor& x) { return activations::elu(x, 0.5); },
                {{nan_value, inf, -0.5, 0, 1, 0.5 * (e - 1)}, {0.5, 1, 0, 0.5, 1, 0.5 * e}, {0, 0, 0, 0, 0, 0.5 * e}});
}

TEST(NonfiniteActivations, Selu) {
  const double bent = 1.6732632423543772 * selu_scale;
  const double e = std::exp(-1.0);
  expect_values([](const Tensor& x) { return activations::selu(x); },
                {{nan_value, inf, -bent, 0, selu_scale, bent * (e - 1)},
                 {selu_scale, selu_scale, 0, selu_scale, selu_scale, bent * e},
                 {0, 0, 0, 0, 0, bent * e}});
}

TEST(NonfiniteActivations, SparseSigmoid) {
  expect_values([](const Tensor& x) { return activations::sparse_sigmoid(x); },
                {{nan_value, 1, 0, 0.5, 1, 0}, {0.5, 0, 0, 0.5, 0, 0}});
}

TEST(NonfiniteActivations, Softsign) {
  expect_values([](const Tensor& x) { return activations::softsign(x); },
                {{nan_value, nan_value, nan_value, 0, 0.5, -0.5}, {nan_value, 0, 0, 1, 0.25, 0.25}});
}

TEST(NonfiniteActivations, HardSilu) {
  expect_values([](const Tensor& x) { return activations::hard_silu(x); },
                {{nan_value, inf, nan_value, 0, 2.0 / 3, -1.0 / 3},
                 {nan_value, nan_value, nan_value, 0.5, 5.0 / 6, 1.0 / 6},
                 {0, 0, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3}});
}

TEST(NonfiniteActivations, ActivationsOfLimitedNumbers) {
  expect_values([](const Tensor& x) { return activations::relu6(x); },
                {{nan_value, 6, 0, 0, 1, 0}, {0, 0, 0, 0, 1, 0}});
  expect_values([](const Tensor& x) { return activations::hard_sigmoid(x); },
                {{nan_value, 1, 0, 0.5, 2.0 / 3, 1.0 / 3}, {0, 0, 0, 1.0 / 6, 1.0 / 6, 1.0 / 6}});
}

TEST(NonfiniteActivations, ShrinkedNanIsZero) {
  expect_values([](const Tensor& x) { return activations::soft_shrink(x); },
                {{0, inf, -inf, 0, 0.5, -0.5}, {0, 1, 1, 0, 1, 1}});
  expect_values([](const Tensor& x) { return activations::hard_shrink(x); },
                {{0, inf, -inf, 0, 1, -1}, {0, 1, 1, 0, 1, 1}});
}

/// A logit of −∞ is no part of the support, as in Keras on TensorFlow; 0 · −∞ would be NaN.
TEST(NonfiniteActivations, SparsemaxGivesAHiddenLogitNothing) {
  const auto function = [](const std::vector<Tensor>& in) {
    GradientTape tape;
    tape.watch(in[0]);
    const Tensor y = activations::sparsemax(in[0]);
    return std::vector<Tensor>{y, tape.gradient(sum(y * Tensor::from_data({4}, {1.0, 2.0, 4.0, 8.0})), in[0])};
  };
  const Tensor x = Tensor::from_data({4}, {-inf, -1.25, -0.75, -inf});
  for (const std::vector<Tensor>& results : {function({x}), test::compiled(function, {x})}) {
    EXPECT_EQ(results[0].to_vector(), (Values{0, 0.625, 1.125, 0}));
    for (const double slope : results[1].to_vector()) EXPECT_TRUE(std::isfinite(slope)) << slope;
  }
}

}  // namespace
}  // namespace rhyton
