#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/custom_gradient.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
namespace {

using Tensors = std::vector<Tensor>;

Tensor vector(std::initializer_list<double> values) {
  return Tensor::from_data(Shape({static_cast<std::int64_t>(values.size())}), values);
}

/// Keras's example: log(1 + e^x), whose gradient does not overflow.
Tensors log1pexp(const Tensors& arguments) {
  static const auto f = custom_gradient([](const Tensors& x) {
    const Tensor e = exp(x[0]);
    return WithGradient{{log(1.0 + e)},
                        [e](const Tensors& upstream) { return Tensors{upstream[0] * (1.0 - 1.0 / (1.0 + e))}; }};
  });
  return f(arguments);
}

TEST(CustomGradient, TakesThePlaceOfThatOfTheOps) {
  const Tensor x = vector({0.0, 1000.0});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = log1pexp({x}).front();
  EXPECT_EQ(tape.gradient(y, x).to_vector(), (std::vector<double>{0.5, 1.0}));
}

TEST(CustomGradient, WhatItCapturesIsDifferentiatedToo) {
  const Tensor x = vector({0.5});
  GradientTape outer;
  outer.watch(x);
  GradientTape inner;
  inner.watch(x);
  const Tensor y = log1pexp({x}).front();
  const Tensor first = inner.gradient(y, x);
  // s (1 - s) for the sigmoid s of 0.5.
  EXPECT_NEAR(outer.gradient(first, x).item(), 0.2350037122015945, 1e-12);
}

TEST(CustomGradient, OutputsThatAreOneTensorHaveGradientsOfTheirOwn) {
  const auto twice = custom_gradient([](const Tensors& x) {
    const Tensor y = x[0] * 3.0;
    return WithGradient{{y, y}, [](const Tensors& upstream) { return Tensors{upstream[0] + 10.0 * upstream[1]}; }};
  });
  const Tensor x = vector({2.0});
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(tape.gradient(twice({x})[0], x).item(), 1.0);
}

TEST(CustomGradient, OfArgumentsThatAreReturnedUnchanged) {
  const auto reversed = custom_gradient([](const Tensors& x) {
    return WithGradient{x, [](const Tensors& upstream) { return Tensors{-upstream[0]}; }};
  });
  const Tensor x = vector({1.0, 2.0});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = reversed({square(x)}).front();
  EXPECT_EQ(y.to_vector(), (std::vector<double>{1.0, 4.0}));
  EXPECT_EQ(tape.gradient(y, x).to_vector(), (std::vector<double>{-2.0, -4.0}));
}

TEST(CustomGradient, OfSeveralArgumentsAndOutputs) {
  const auto both = custom_gradient([](const Tensors& x) {
    return WithGradient{{x[0] + x[1], x[0] * x[1]}, [](const Tensors& upstream) {
                          return Tensors{upstream[0] * 10.0, upstream[1] * 100.0};
                        }};
  });
  const Tensor a = vector({1.0});
  const Tensor b = vector({2.0});
  GradientTape tape({.persistent = true});
  tape.watch(a);
  tape.watch(b);
  const Tensors outputs = both({a, b});
  const Tensors gradients = tape.gradient(outputs[0] + 3.0 * outputs[1], Tensors{a, b});
  EXPECT_EQ(gradients[0].item(), 10.0);
  EXPECT_EQ(gradients[1].item(), 300.0);
  // The gradient of an output that is not used is 0.
  const Tensors of_one = tape.gradient(outputs[0], Tensors{a, b});
  EXPECT_EQ(of_one[0].item(), 10.0);
  EXPECT_EQ(of_one[1].item(), 0.0);
}

TEST(CustomGradient, CanBeDifferentiatedAgain) {
  const auto cubed = custom_gradient([](const Tensors& x) {
    const Tensor& given = x[0];
    return WithGradient{{given * given * given},
                        [given](const Tensors& upstream) { return Tensors{upstream[0] * 3.0 * square(given)}; }};
  });
  const Tensor x = vector({2.0});
  GradientTape outer_tape;
  outer_tape.watch(x);
  Tensor first;
  {
    GradientTape tape;
    tape.watch(x);
    first = tape.gradient(cubed({x}).front(), x);
  }
  EXPECT_EQ(first.item(), 12.0);
  EXPECT_EQ(outer_tape.gradient(first, x).item(), 12.0);
}

TEST(CustomGradient, RefusesAGradientForAnotherNumberOfArguments) {
  const auto wrong = custom_gradient([](const Tensors& x) {
    return WithGradient{{square(x[0])}, [](const Tensors& upstream) { return Tensors{upstream[0], upstream[0]}; }};
  });
  const Tensor x = vector({2.0});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = wrong({x}).front();
  EXPECT_THROW(static_cast<void>(tape.gradient(y, x)), ValueError);
}

TEST(CustomGradient, RefusesAFunctionWithoutAGradient) {
  const auto none = custom_gradient([](const Tensors& x) { return WithGradient{{square(x[0])}, {}}; });
  EXPECT_THROW(static_cast<void>(none({vector({2.0})})), ValueError);
}

}  // namespace
}  // namespace rhyton
