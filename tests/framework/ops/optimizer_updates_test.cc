#include <rhyton/framework/ops/optimizer_updates.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <rhyton/tests/framework/ops/kernel_checks.h>

namespace rhyton {
namespace {

using test::expect_near;
using test::KernelHarness;
using test::random_tensor;

/// Updates one element of a variable and its slots by Keras's formulas in double precision.
using Renew = std::function<void(std::vector<double>& values, double gradient)>;

constexpr double rate = 0.01;
constexpr std::int64_t iterations = 6;
constexpr double product = 0.25;

/// Non-negative slots, for values under a root.
Tensor positive_tensor(const Shape& shape, DType dtype, unsigned seed) {
  Tensor tensor = random_tensor(shape, dtype, seed);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (dtype == float32) {
      tensor.mutable_data<float>()[i] = 1.0f + 0.9f * tensor.data<float>()[i];
    } else {
      tensor.mutable_data<double>()[i] = 1.0 + 0.9 * tensor.data<double>()[i];
    }
  }
  return tensor;
}

void check(const OptimizerUpdateOp& op, const Renew& renew) {
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t size : {0, 1, 7, 16, 100}) {
      std::vector<Tensor> inputs = {random_tensor({size}, dtype, 1)};
      for (int slot = 0; slot < op.slots(); ++slot) {
        inputs.push_back(positive_tensor({size}, dtype, static_cast<unsigned>(slot) + 2));
      }
      inputs.push_back(random_tensor({size}, dtype, 9));
      inputs.push_back(Tensor::full({}, rate, dtype));
      if (op.takes_iterations()) inputs.push_back(Tensor::scalar(iterations));
      if (op.takes_product()) inputs.push_back(Tensor::full({}, product, dtype));

      const std::size_t count = static_cast<std::size_t>(op.slots()) + 1;
      std::vector<std::vector<double>> columns;
      for (std::size_t i = 0; i <= count; ++i) columns.push_back(inputs[i].to_vector());
      for (std::size_t place = 0; place < static_cast<std::size_t>(size); ++place) {
        std::vector<double> values;
        for (std::size_t i = 0; i < count; ++i) values.push_back(columns[i][place]);
        renew(values, columns[count][place]);
        for (std::size_t i = 0; i < count; ++i) columns[i][place] = values[i];
      }

      // The step of Adam in single precision inherits the rounding of 1 - beta_2^t.
      const double error = dtype == float32 ? 2e-5 : 1e-14;
      KernelHarness harness(op, inputs);
      harness.run();
      for (std::size_t i = 0; i < count; ++i) expect_near(harness.outputs()[i], columns[i], error);

      // Every output in place of its input.
      std::vector<TensorView> views;
      for (Tensor& input : inputs) {
        input = input.clone();
        views.push_back({input.mutable_raw_data(), input.spec()});
      }
      const std::span<const TensorView> all = views;
      std::vector<TensorSpec> specs;
      for (const Tensor& input : inputs) specs.push_back(input.spec());
      cpu_kernels().get(op, specs).run({.op = &op, .inputs = all, .outputs = all.first(count)});
      for (std::size_t i = 0; i < count; ++i) {
        expect_near(inputs[i], harness.outputs()[i].to_vector(), 0.0);
      }
    }
  }
}

TEST(OptimizerUpdates, Sgd) {
  check(SgdUpdateOp(), [](std::vector<double>& values, double g) { values[0] -= rate * g; });
}

TEST(OptimizerUpdates, SgdWithMomentum) {
  check(SgdMomentumUpdateOp(0.9), [](std::vector<double>& values, double g) {
    values[1] = 0.9 * values[1] - rate * g;
    values[0] += values[1];
  });
  check(SgdMomentumUpdateOp(0.8, true), [](std::vector<double>& values, double g) {
    values[1] = 0.8 * values[1] - rate * g;
    values[0] += 0.8 * values[1] - rate * g;
  });
}

TEST(OptimizerUpdates, Adam) {
  const auto adam = [](double beta_1, double beta_2, double epsilon, bool amsgrad, double weight_decay = 0.0) {
    return [=](std::vector<double>& values, double g) {
      values[0] -= values[0] * weight_decay * rate;
      values[1] += (g - values[1]) * (1 - beta_1);
      values[2] += (g * g - values[2]) * (1 - beta_2);
      if (amsgrad) values[3] = std::max(values[3], values[2]);
      const double alpha =
          rate * std::sqrt(1 - std::pow(beta_2, iterations + 1)) / (1 - std::pow(beta_1, iterations + 1));
      values[0] -= values[1] * alpha / (std::sqrt(amsgrad ? values[3] : values[2]) + epsilon);
    };
  };
  check(AdamUpdateOp(), adam(0.9, 0.999, 1e-7, false));
  check(AdamUpdateOp({.beta_1 = 0.5, .beta_2 = 0.9, .epsilon = 0.1}), adam(0.5, 0.9, 0.1, false));
  check(AdamUpdateOp({}, true), adam(0.9, 0.999, 1e-7, true));
  check(AdamUpdateOp({}, false, 0.5), adam(0.9, 0.999, 1e-7, false, 0.5));
  check(AdamUpdateOp({}, true, 0.5), adam(0.9, 0.999, 1e-7, true, 0.5));
}

TEST(OptimizerUpdates, RMSprop) {
  for (const double momentum : {0.0, 0.7}) {
    for (const bool centered : {false, true}) {
      // A large epsilon, because the slots here could make the centred denominator negative.
      const RMSpropAttributes attributes = {.rho = 0.8, .momentum = momentum, .epsilon = 5.0, .centered = centered};
      check(RMSpropUpdateOp(attributes), [=](std::vector<double>& values, double g) {
        values[1] = 0.8 * values[1] + (1 - 0.8) * g * g;
        double denominator = values[1] + 5.0;
        if (centered) {
          double& average = values.back();
          average = 0.8 * average + (1 - 0.8) * g;
          denominator -= average * average;
        }
        double increment = rate * g / std::sqrt(denominator);
        if (momentum > 0) {
          values[2] = momentum * values[2] + increment;
          increment = values[2];
        }
        values[0] -= increment;
      });
    }
  }
}

TEST(OptimizerUpdates, Adadelta) {
  check(AdadeltaUpdateOp({.rho = 0.8, .epsilon = 1e-3}), [](std::vector<double>& values, double g) {
    values[1] = 0.8 * values[1] + 0.2 * g * g;
    const double change = -std::sqrt(values[2] + 1e-3) * g / std::sqrt(values[1] + 1e-3);
    values[2] = 0.8 * values[2] + 0.2 * change * change;
    values[0] += rate * change;
  });
}

TEST(OptimizerUpdates, Adagrad) {
  check(AdagradUpdateOp(1e-3), [](std::vector<double>& values, double g) {
    values[1] += g * g;
    values[0] -= rate * g / std::sqrt(values[1] + 1e-3);
  });
}

TEST(OptimizerUpdates, Adamax) {
  check(AdamaxUpdateOp({.beta_1 = 0.8, .beta_2 = 0.3, .epsilon = 1e-3}), [](std::vector<double>& values, double g) {
    values[1] += (g - values[1]) * 0.2;
    values[2] = std::max(0.3 * values[2], std::abs(g));
    values[0] -= rate * values[1] / ((1 - std::pow(0.8, iterations + 1)) * (values[2] + 1e-3));
  });
}

TEST(OptimizerUpdates, Ftrl) {
  for (const double power : {0.0, 0.5, 0.7}) {
    const FtrlAttributes attributes{.learning_rate_power = -power,
                                    .l1_regularization_strength = 0.5,
                                    .l2_regularization_strength = 0.2,
                                    .l2_shrinkage_regularization_strength = 0.3,
                                    .beta = 0.4};
    check(FtrlUpdateOp(attributes), [=](std::vector<double>& values, double g) {
      const double accumulated = values[1] + g * g;
      const double growth = (std::pow(accumulated, power) - std::pow(values[1], power)) / rate;
      values[2] += g + 2 * 0.3 * values[0] - growth * values[0];
      const double quadratic = std::pow(accumulated, power) / rate + 2 * (0.2 + 0.4 / (2 * rate));
      values[0] = (std::clamp(values[2], -0.5, 0.5) - values[2]) / quadratic;
      values[1] = accumulated;
    });
  }
}

TEST(OptimizerUpdates, Lion) {
  check(LionUpdateOp({.beta_1 = 0.25, .beta_2 = 0.5}), [](std::vector<double>& values, double g) {
    const double update = 0.25 * values[1] + 0.75 * g;
    values[0] -= rate * (update > 0 ? 1 : -1);
    values[1] = 0.5 * values[1] + 0.5 * g;
  });
  const Tensor zero = Tensor::zeros({3});
  expect_near(lion_update(zero, zero, zero, Tensor::scalar(0.1f))[0], {0, 0, 0}, 0.0);
}

TEST(OptimizerUpdates, Nadam) {
  check(NadamUpdateOp({.beta_1 = 0.8, .beta_2 = 0.75, .epsilon = 1e-3}), [](std::vector<double>& values, double g) {
    const double now = 0.8 * (1 - 0.5 * std::pow(0.96, iterations + 1));
    const double next = 0.8 * (1 - 0.5 * std::pow(0.96, iterations + 2));
    values[1] += (g - values[1]) * (1 - 0.8);
    values[2] += (g * g - values[2]) * 0.25;
    const double ahead = next * values[1] / (1 - product * next) + (1 - now) * g / (1 - product);
    values[0] -= rate * ahead / (std::sqrt(values[2] / (1 - std::pow(0.75, iterations + 1))) + 1e-3);
  });
}

TEST(OptimizerUpdates, ScheduleFreeAdamW) {
  for (const int warmup : {0, 5, 20}) {
    const ScheduleFreeAttributes attributes{.beta_1 = 0.8, .beta_2 = 0.75, .epsilon = 1e-3, .warmup_steps = warmup};
    check(ScheduleFreeAdamWUpdateOp(attributes), [=](std::vector<double>& values, double g) {
      const double step = iterations + 1;
      values[2] += (g * g - values[2]) * 0.25;
      const double average = (values[0] - (1 - 0.8) * values[1]) / 0.8;
      const double warm_rate = step < warmup ? rate * step / warmup : rate;
      values[1] -= warm_rate * g / (std::sqrt(values[2] / (1 - std::pow(0.75, step))) + 1e-3);
      const double next = (1 - 1 / step) * average + values[1] / step;
      values[0] = (1 - 0.8) * values[1] + 0.8 * next;
    });
  }
}

/// Lamb's first pass by Keras's formulas in double precision, with the sums over blocks.
std::vector<std::vector<double>> exact_lamb_direction(const std::vector<Tensor>& inputs, const AdamAttributes& rates) {
  const std::vector<double> w = inputs[0].to_vector();
  std::vector<double> m = inputs[1].to_vector();
  std::vector<double> v = inputs[2].to_vector();
  const std::vector<double> g = inputs[3].to_vector();
  std::vector<double> u(w.size());
  const auto blocks = static_cast<std::size_t>(LambDirectionOp::blocks_of(inputs[0].size()));
  std::vector<double> of_variable(blocks);
  std::vector<double> of_direction(blocks);
  for (std::size_t i = 0; i < w.size(); ++i) {
    m[i] += (g[i] - m[i]) * (1 - rates.beta_1);
    v[i] += (g[i] * g[i] - v[i]) * (1 - rates.beta_2);
    u[i] = m[i] / (1 - std::pow(rates.beta_1, iterations + 1)) /
           (std::sqrt(v[i] / (1 - std::pow(rates.beta_2, iterations + 1))) + rates.epsilon);
    of_variable[i / LambDirectionOp::block] += w[i] * w[i];
    of_direction[i / LambDirectionOp::block] += u[i] * u[i];
  }
  return {m, v, u, of_variable, of_direction};
}

TEST(OptimizerUpdates, LambDirection) {
  const AdamAttributes rates{.beta_1 = 0.8, .beta_2 = 0.75, .epsilon = 1e-3};
  const LambDirectionOp op(rates);
  for (const DType dtype : {float32, float64}) {
    for (const std::int64_t size : {0, 1, 7, 64, 1000, 1024, 1025, 5000}) {
      std::vector<Tensor> inputs = {random_tensor({size}, dtype, 1), positive_tensor({size}, dtype, 2),
                                    positive_tensor({size}, dtype, 3), random_tensor({size}, dtype, 4),
                                    Tensor::scalar(iterations)};
      const std::vector<std::vector<double>> expected = exact_lamb_direction(inputs, rates);
      KernelHarness harness(op, inputs);
      harness.run();
      const double error = dtype == float32 ? 2e-5 : 1e-13;
      for (std::size_t i = 0; i < expected.size(); ++i) expect_near(harness.outputs()[i], expected[i], error);

      // The averages in place, the direction in place of the gradient, in pieces.
      std::vector<TensorView> views;
      for (Tensor& input : inputs) {
        input = input.clone();
        views.push_back({input.mutable_raw_data(), input.spec()});
      }
      std::vector<Tensor> sums = {harness.outputs()[3].clone(), harness.outputs()[4].clone()};
      std::vector<TensorView> outputs = {views[1], views[2], views[3]};
      for (Tensor& sum : sums) outputs.push_back({sum.mutable_raw_data(), sum.spec()});
      const Kernel& kernel = *cpu_kernels().find(op.name(), dtype);
      for (std::int64_t piece = 0; piece < 3; ++piece) {
        kernel.run({.op = &op, .inputs = views, .outputs = outputs, .piece = piece, .pieces = 3});
      }
      for (std::size_t i = 0; i < 3; ++i) expect_near(inputs[i + 1], harness.outputs()[i].to_vector(), 0.0);
      for (std::size_t i = 0; i < 2; ++i) expect_near(sums[i], harness.outputs()[i + 3].to_vector(), 0.0);
    }
  }
}

TEST(OptimizerUpdates, LambDirectionOfNothingIsNoNumberWithoutEpsilonOnly) {
  const Tensor zero = Tensor::zeros({3});
  const Tensor first = Tensor::scalar<std::int64_t>(0);
  expect_near(lamb_direction(zero, zero, zero, zero, first).direction_squares, {0.0}, 0.0);
  const Tensor ones = Tensor::full({3}, 1.0);
  // The register beyond the three elements does not count.
  const Tensor squares = lamb_direction(ones, zero, zero, ones, first, {.epsilon = 0.0}).direction_squares;
  expect_near(squares, {3.0}, 1e-4);
}

TEST(OptimizerUpdates, FunctionsGiveVariableThenSlots) {
  const Tensor w = Tensor::full({3}, 1.0);
  const Tensor g = Tensor::full({3}, 0.5);
  const Tensor zero = Tensor::zeros({3});
  const Tensor lr = Tensor::scalar(0.1f);
  const Tensor first = Tensor::scalar<std::int64_t>(0);
  expect_near(sgd_update(w, g, lr), {0.95, 0.95, 0.95}, 1e-6);
  EXPECT_EQ(sgd_momentum_update(w, zero, g, lr, 0.9).size(), 2u);
  EXPECT_EQ(adam_update(w, zero, zero, g, lr, first).size(), 3u);
  expect_near(adam_update(w, zero, zero, g, lr, first)[0], {0.9, 0.9, 0.9}, 1e-4);
  EXPECT_EQ(adam_amsgrad_update(w, zero, zero, zero, g, lr, first).size(), 4u);
  EXPECT_EQ(rmsprop_update(w, zero, {}, {}, g, lr).size(), 2u);
  EXPECT_EQ(rmsprop_update(w, zero, zero, zero, g, lr, {.momentum = 0.9, .centered = true}).size(), 4u);
  // A float32 learning rate can be used with float64 variables.
  const Tensor wide = Tensor::full({2}, 1.0, float64);
  expect_near(sgd_update(wide, wide, lr), {0.9, 0.9}, 1e-7);
}

TEST(OptimizerUpdates, SpecsMustFit) {
  const Tensor w = Tensor::zeros({3});
  const Tensor lr = Tensor::scalar(0.1f);
  EXPECT_THROW(sgd_update(w, Tensor::zeros({4}), lr), InvalidArgumentError);
  EXPECT_THROW(sgd_update(w, w, w), InvalidArgumentError);
  EXPECT_THROW(adam_update(w, w, w, w, lr, Tensor::scalar(1.0f)), InvalidArgumentError);
  EXPECT_THROW(nadam_update(w, w, w, w, lr, Tensor::scalar<std::int64_t>(0), w), InvalidArgumentError);
  EXPECT_THROW(sgd_momentum_update(w, Tensor::zeros({3}, float64), w, lr, 0.9), InvalidArgumentError);
  const Tensor first = Tensor::scalar<std::int64_t>(0);
  EXPECT_THROW(lamb_direction(w, w, w, Tensor::zeros({4}), first), InvalidArgumentError);
  EXPECT_THROW(lamb_direction(w, w, w, w, lr), InvalidArgumentError);
}

}  // namespace
}  // namespace rhyton
