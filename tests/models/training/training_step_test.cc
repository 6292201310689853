// The effect of one training step on weights, statistics and optimizers, and the state that evaluation leaves
// unchanged.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::models {
namespace {

using test::random_tensor;
using test::relative_distance;
using test::same_bits;

const Tensor x_data = random_tensor({12, 4}, 1);
const Tensor y_data = random_tensor({12, 2}, 2);

/// Each test runs compiled and eagerly.
class TrainingStep : public ::testing::TestWithParam<bool> {
 protected:
  static CompileOptions options(const optimizers::Optimizer& optimizer, const LossArgument& loss = "mse") {
    return {.optimizer = optimizer, .loss = loss, .run_eagerly = GetParam()};
  }
  static CompileOptions still(const LossArgument& loss = "mse") {
    CompileOptions options = standing_still(loss);
    options.run_eagerly = GetParam();
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Modes, TrainingStep, ::testing::Values(false, true),
                         [](const auto& info) { return info.param ? "eagerly" : "compiled"; });

// --- Trained variables -----------------------------------------------------------------------------------------------

TEST_P(TrainingStep, FrozenLayersKeepTheirBits) {
  const layers::Dense frozen(3, {.activation = "tanh"});
  const layers::Dense free(2);
  const Sequential model({layers::Input({.shape = {4}}), frozen, free});
  frozen.set_trainable(false);
  model.compile(options(optimizers::Adam({.learning_rate = 0.1})));
  const std::vector<Tensor> frozen_before = copies_of_weights(frozen);
  const std::vector<Tensor> free_before = copies_of_weights(free);
  model.fit(x_data, y_data, {.batch_size = 5, .epochs = 2, .verbose = 0});
  EXPECT_TRUE(same_bits(copies_of_weights(frozen), frozen_before));
  EXPECT_FALSE(same_bits(copies_of_weights(free), free_before));
  // iteration, learning rate, and two slots for each of the two variables.
  EXPECT_EQ(model.optimizer().variables().size(), 2 + 2 * 2);
}

// Gradients are divided by the factor of the loss: a power of two is exact.
TEST_P(TrainingStep, ALossScaleFactorTrainsTheSame) {
  const Sequential scaled({layers::Input({.shape = {4}}), layers::Dense(2)});
  const Sequential plain({layers::Input({.shape = {4}}), layers::Dense(2)});
  plain.set_weights(scaled.get_weights());
  scaled.compile(options(optimizers::SGD({.learning_rate = 0.1, .loss_scale_factor = 1024.0})));
  plain.compile(options(optimizers::SGD({.learning_rate = 0.1})));
  for (int step = 0; step < 3; ++step) {
    const double scaled_loss = scaled.train_on_batch(x_data, y_data).at("loss");
    EXPECT_EQ(scaled_loss, plain.train_on_batch(x_data, y_data).at("loss"));
  }
  EXPECT_TRUE(same_bits(copies_of_weights(scaled), copies_of_weights(plain)));
}

TEST_P(TrainingStep, ModelsThatAreBuiltByTheirDataAreTrained) {
  const Sequential model({layers::Dense(3, {.activation = "relu"}), layers::Dense(2)});
  model.compile(options(optimizers::SGD({.learning_rate = 0.1})));
  const History history = model.fit(x_data, y_data, {.epochs = 5, .verbose = 0});
  EXPECT_TRUE(model.is_built());
  EXPECT_LT(history["loss"].back(), history["loss"].front());
}

TEST_P(TrainingStep, LayersThatAreAddedAfterCompileAreTrained) {
  const Sequential model({layers::Input({.shape = {4}}), layers::Dense(3)});
  model.compile(options("sgd"));
  const layers::Dense added(2);
  model.add(added);
  const std::vector<Tensor> before = copies_of_weights(added);
  model.train_on_batch(x_data, y_data);
  EXPECT_FALSE(same_bits(copies_of_weights(added), before));
}

TEST_P(TrainingStep, ModelsWithoutWeightsCanBeTrained) {
  const Sequential model({layers::Input({.shape = {2}}), layers::Dropout(0.5)});
  model.compile(options("sgd"));
  EXPECT_EQ(model.fit(y_data, y_data, {.verbose = 0})["loss"].size(), 1);
}

// --- Differences between training and evaluation ---------------------------------------------------------------------

TEST_P(TrainingStep, MovingStatisticsMoveInTrainingOnly) {
  const layers::BatchNormalization normalization({.momentum = 0.9});
  const Sequential model({layers::Input({.shape = {1}}), normalization});
  model.compile(still());
  const Tensor x = column({1, 2, 3, 6});
  const auto expect_statistics = [&](double mean, double variance) {
    EXPECT_NEAR(normalization.get_weights()[2].item(), mean, 1e-6);
    EXPECT_NEAR(normalization.get_weights()[3].item(), variance, 1e-6);
  };
  expect_statistics(0, 1);
  model.evaluate(x, x, {.verbose = 0});
  model.predict(x, {.verbose = 0});
  model.test_on_batch(x, x);
  expect_statistics(0, 1);
  // The batch has mean 3 and variance 3.5.
  model.fit(x, x, {.verbose = 0});
  expect_statistics(0.1 * 3, 0.9 + 0.1 * 3.5);
  model.train_on_batch(x, x);
  expect_statistics(0.9 * 0.3 + 0.1 * 3, 0.9 * (0.9 + 0.35) + 0.1 * 3.5);
}

TEST_P(TrainingStep, EvaluationUsesTheMovingStatistics) {
  const layers::BatchNormalization normalization({.epsilon = 0.0});
  const Sequential model({layers::Input({.shape = {1}}), normalization});
  normalization.set_weights({vector_of({2}), vector_of({1}), vector_of({3}), vector_of({4})});
  model.compile(still());
  EXPECT_EQ(model.predict(column({3, 7}), {.verbose = 0}).to_vector(), (std::vector<double>{1, 5}));
  EXPECT_EQ(model.evaluate(column({3, 7}), column({1, 5}), {.verbose = 0}).at("loss"), 0);
  // Training standardizes the batch: ±1, so 1 ± 2.
  EXPECT_NEAR(model.train_on_batch(column({3, 7}), column({-1, 3})).at("loss"), 0, 1e-10);
}

TEST_P(TrainingStep, FrozenNormalizationDoesNotMove) {
  const layers::BatchNormalization normalization;
  const Sequential model({layers::Input({.shape = {4}}), normalization, layers::Dense(2)});
  normalization.set_trainable(false);
  model.compile(options("sgd"));
  const std::vector<Tensor> before = copies_of_weights(normalization);
  model.fit(x_data, y_data, {.verbose = 0});
  EXPECT_TRUE(same_bits(copies_of_weights(normalization), before));
}

TEST_P(TrainingStep, DropoutDropsInTrainingOnly) {
  const std::int64_t width = 1000;
  const Sequential model({layers::Input({.shape = {width}}), layers::Dropout(0.5)});
  model.compile(still());
  const Tensor ones = Tensor::full({2, width}, 1);
  EXPECT_EQ(model.evaluate(ones, ones, {.verbose = 0}).at("loss"), 0);
  EXPECT_TRUE(same_bits(model.predict(ones, {.verbose = 0}), ones));
  // Both 0 and 2 differ by 1.
  EXPECT_EQ(model.train_on_batch(ones, ones).at("loss"), 1);
  EXPECT_EQ(model.test_on_batch(ones, ones).at("loss"), 0);
  // About half is dropped, a different half in every step.
  const double first = model.train_on_batch(ones, Tensor::zeros({2, width})).at("loss");
  const double second = model.train_on_batch(ones, Tensor::zeros({2, width})).at("loss");
  EXPECT_NEAR(first, 2, 0.3);
  EXPECT_NEAR(second, 2, 0.3);
  EXPECT_NE(first, second);
}

TEST_P(TrainingStep, PenaltiesAreInTheLoss) {
  const layers::Dense dense(1, {.kernel_regularizer = regularizers::L2(0.1), .bias_regularizer = "l1"});
  const Sequential model({layers::Input({.shape = {1}}), dense});
  dense.set_weights({column({3}), vector_of({-2})});
  CompileOptions compile = still();
  compile.metrics = {"mse"};
  model.compile(compile);
  const Tensor x = column({0, 0});
  const Tensor y = column({-2, 1});
  const double penalty = 0.1 * 9 + 0.01 * 2;
  for (const callbacks::Logs& logs :
       {model.evaluate(x, y, {.verbose = 0}), model.train_on_batch(x, y), model.test_on_batch(x, y)}) {
    EXPECT_NEAR(logs.at("loss"), 4.5 + penalty, 1e-6);
    EXPECT_NEAR(logs.at("mse"), 4.5, 1e-6);
  }
}

TEST_P(TrainingStep, PenaltiesAreDifferentiated) {
  const layers::Dense dense(1, {.use_bias = false, .kernel_regularizer = regularizers::L2(0.1)});
  const Sequential model({layers::Input({.shape = {1}}), dense});
  dense.set_weights({column({3})});
  model.compile(options(optimizers::SGD({.learning_rate = 0.5})));
  model.train_on_batch(column({0}), column({0}));
  EXPECT_NEAR(dense.get_weights()[0].item(), 3 - 0.5 * 0.1 * 2 * 3, 1e-6);
}

TEST_P(TrainingStep, PenaltiesOnOutputsAreThoseOfASample) {
  const layers::Dense dense(1, {.activity_regularizer = regularizers::L1(0.5)});
  const Sequential model({layers::Input({.shape = {1}}), dense});
  dense.set_weights({column({1}), vector_of({0})});
  model.compile(still());
  const Tensor x = column({1, 3});
  EXPECT_NEAR(model.test_on_batch(x, x).at("loss"), 0.5 * 4 / 2, 1e-6);
  EXPECT_NEAR(model.train_on_batch(x, x).at("loss"), 0.5 * 4 / 2, 1e-6);
}

// --- Optimizers --------------------------------------------------------------------------------------------------

TEST_P(TrainingStep, TheLearningRateMayBeSetAtAnyTime) {
  const Sequential model = linear_model(1, 0);
  model.compile(options(optimizers::SGD({.learning_rate = 0.25})));
  const auto step = [&] {
    model.train_on_batch(column({1}), column({0}));
    return model.get_weights()[0].item();
  };
  EXPECT_EQ(step(), 1 - 0.25 * 2);
  model.optimizer().set_learning_rate(0.0);
  EXPECT_EQ(step(), 0.5);
  model.set_weights({column({1}), vector_of({0})});
  model.optimizer().set_learning_rate(0.125);
  EXPECT_EQ(step(), 1 - 0.125 * 2);
  EXPECT_EQ(model.optimizer().learning_rate().item(), 0.125);
}

TEST_P(TrainingStep, CompileBeginsWithItsOptimizersState) {
  const Sequential model = linear_model(1, 0);
  const optimizers::Adam adam;
  model.compile(options(adam));
  model.train_on_batch(column({1}), column({0}));
  model.train_on_batch(column({1}), column({0}));
  EXPECT_EQ(model.optimizer().iterations().item(), 2);
  EXPECT_TRUE(model.optimizer().is_same(adam));
  model.compile(options(optimizers::Adam()));
  EXPECT_EQ(model.optimizer().iterations().item(), 0);
  model.compile(options(adam));
  EXPECT_EQ(model.optimizer().iterations().item(), 2);
}

/// A generator and a critic that judges its output: two models with common layers, each with its own optimizer.
struct Adversaries {
  explicit Adversaries(bool eagerly) {
    const auto compile = [&](const Model& model, const optimizers::Optimizer& optimizer) {
      model.compile({.optimizer = optimizer, .loss = "mse", .run_eagerly = eagerly});
    };
    layers::Dense& judging = critic_layer;
    generator_layer.build({-1, 4});
    judging.build({-1, 2});
    generator_layer.set_weights({random_tensor({4, 2}, 3), random_tensor({2}, 4)});
    judging.set_weights({random_tensor({2, 1}, 5), random_tensor({1}, 6)});
    critic = Sequential({layers::Input({.shape = {2}}), critic_layer});
    compile(critic, optimizers::Adam({.learning_rate = 0.01}));
    // Frozen only as a part of the second model.
    critic_layer.set_trainable(false);
    both = Sequential({layers::Input({.shape = {4}}), generator_layer, critic_layer});
    compile(both, optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9}));
  }

  layers::Dense generator_layer{2, {.activation = "tanh"}};
  layers::Dense critic_layer{1};
  Model critic;
  Model both;
};

TEST_P(TrainingStep, TwoModelsTrainLayersThatTheyShare) {
  Adversaries models(GetParam());
  const Tensor noise = random_tensor({6, 4}, 7);
  const Tensor real = random_tensor({6, 2}, 8);
  const Tensor ones = Tensor::full({6, 1}, 1);

  // The same computed explicitly.
  Variable kernel(random_tensor({4, 2}, 3));
  Variable bias(random_tensor({2}, 4));
  Variable critic_kernel(random_tensor({2, 1}, 5));
  Variable critic_bias(random_tensor({1}, 6));
  const optimizers::Adam adam({.learning_rate = 0.01});
  const optimizers::SGD sgd({.learning_rate = 0.1, .momentum = 0.9});
  const losses::MeanSquaredError mse;
  const auto judged = [&](const Tensor& data) { return matmul(data, critic_kernel.value()) + critic_bias.value(); };

  for (int step = 0; step < 4; ++step) {
    const std::vector<Tensor> generator_before = copies_of_weights(models.generator_layer);
    models.critic_layer.set_trainable(true);
    models.critic.train_on_batch(real, ones);
    models.critic_layer.set_trainable(false);
    EXPECT_TRUE(same_bits(copies_of_weights(models.generator_layer), generator_before)) << step;
    const std::vector<Tensor> critic_before = copies_of_weights(models.critic_layer);
    models.both.train_on_batch(noise, ones);
    EXPECT_TRUE(same_bits(copies_of_weights(models.critic_layer), critic_before)) << step;

    {
      GradientTape tape;
      const Tensor loss = mse(ones, judged(real));
      const std::vector<Variable> variables = {critic_kernel, critic_bias};
      adam.apply(tape.gradient(loss, variables), variables);
    }
    {
      GradientTape tape;
      const Tensor loss = mse(ones, judged(tanh(matmul(noise, kernel.value()) + bias.value())));
      const std::vector<Variable> variables = {kernel, bias};
      sgd.apply(tape.gradient(loss, variables), variables);
    }
  }
  EXPECT_LE(relative_distance(models.generator_layer.get_weights()[0], kernel.value()), 1e-5);
  EXPECT_LE(relative_distance(models.generator_layer.get_weights()[1], bias.value()), 1e-5);
  EXPECT_LE(relative_distance(models.critic_layer.get_weights()[0], critic_kernel.value()), 1e-5);
  EXPECT_LE(relative_distance(models.critic_layer.get_weights()[1], critic_bias.value()), 1e-5);
  // Each optimizer has slots for its own variables only, and its own count of steps.
  EXPECT_EQ(models.critic.optimizer().variables().size(), 2 + 2 * 2);
  EXPECT_EQ(models.both.optimizer().variables().size(), 2 + 2);
  EXPECT_EQ(models.critic.optimizer().iterations().item(), 4);
  EXPECT_EQ(models.both.optimizer().iterations().item(), 4);
}

TEST_P(TrainingStep, AVariableThatTwoModelsTrainSeesBothUpdates) {
  const layers::Dense shared(1, {.use_bias = false});
  const Sequential first({layers::Input({.shape = {1}}), shared});
  const Sequential second({layers::Input({.shape = {1}}), shared});
  shared.set_weights({column({1})});
  first.compile(options(optimizers::SGD({.learning_rate = 0.25})));
  second.compile(options(optimizers::SGD({.learning_rate = 0.125, .momentum = 0.5})));
  // (w - 0)² has the gradient 2 w.
  const auto step = [&](const Model& model) {
    model.train_on_batch(column({1}), column({0}));
    return shared.get_weights()[0].item();
  };
  EXPECT_EQ(step(first), 0.5);        // 1 - 0.25 · 2
  EXPECT_EQ(step(second), 0.375);     // momentum -0.125
  EXPECT_EQ(step(first), 0.1875);     // 0.375 - 0.25 · 0.75
  EXPECT_EQ(step(second), 0.078125);  // momentum -0.0625 - 0.125 · 0.375
}

// --- Equivalent forms ------------------------------------------------------------------------------------------------

TEST_P(TrainingStep, ALoopOfOnesOwnEqualsFit) {
  const auto make = [] {
    Sequential model({layers::Input({.shape = {4}}), layers::Dense(6, {.activation = "tanh"}), layers::Dense(2)});
    model.set_weights(
        {random_tensor({4, 6}, 3), random_tensor({6}, 4), random_tensor({6, 2}, 5), random_tensor({2}, 6)});
    return model;
  };
  const Sequential fitted = make();
  fitted.compile(options(optimizers::Adam({.learning_rate = 0.05})));
  const History history = fitted.fit(x_data, y_data, {.batch_size = 5, .epochs = 3, .verbose = 0, .shuffle = false});

  const Sequential looped = make();
  const optimizers::Adam adam({.learning_rate = 0.05});
  const losses::MeanSquaredError mse;
  std::vector<double> losses;
  for (int epoch = 0; epoch < 3; ++epoch) {
    double total = 0;
    for (std::int64_t first = 0; first < 12; first += 5) {
      const std::int64_t last = std::min<std::int64_t>(first + 5, 12);
      GradientTape tape;
      const Tensor loss = mse(y_data.slice(first, last), looped(x_data.slice(first, last), {.training = true}));
      const std::vector<Variable> variables = looped.trainable_weights();
      adam.apply(tape.gradient(loss, variables), variables);
      total += loss.item() * static_cast<double>(last - first);
    }
    losses.push_back(total / 12);
  }
  for (std::size_t epoch = 0; epoch < losses.size(); ++epoch) {
    EXPECT_NEAR(history["loss"][epoch], losses[epoch], 1e-6) << epoch;
  }
  const std::vector<Tensor> weights = looped.get_weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_LE(relative_distance(fitted.get_weights()[i], weights[i]), 1e-5) << i;
  }
}

TEST_P(TrainingStep, TrainOnBatchIsAStepOfFit) {
  const auto trained = [](bool by_batch) {
    Sequential model({layers::Input({.shape = {4}}), layers::Dense(2)});
    model.set_weights({random_tensor({4, 2}, 3), random_tensor({2}, 4)});
    model.compile(options(optimizers::Adam({.learning_rate = 0.05})));
    if (by_batch) {
      for (std::int64_t first = 0; first < 12; first += 4) {
        model.train_on_batch(x_data.slice(first, first + 4), y_data.slice(first, first + 4));
      }
    } else {
      model.fit(x_data, y_data, {.batch_size = 4, .verbose = 0, .shuffle = false});
    }
    return copies_of_weights(model);
  };
  EXPECT_TRUE(same_bits(trained(true), trained(false)));
}

TEST_P(TrainingStep, DtypesAndShapesOfDataDoNotMatter) {
  const auto trained = [](const Tensor& x, const Tensor& y) {
    Sequential model({layers::Input({.shape = {4}}), layers::Dense(3, {.activation = "softmax"})});
    model.set_weights({random_tensor({4, 3}, 3), random_tensor({3}, 4)});
    CompileOptions compile = options("sgd", "sparse_categorical_crossentropy");
    compile.metrics = {"accuracy"};
    model.compile(compile);
    model.fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0, .shuffle = false});
    EXPECT_TRUE(std::isfinite(model.evaluate(x, y, {.verbose = 0}).at("accuracy")));
    return copies_of_weights(model);
  };
  const Tensor labels = Tensor::from_data<std::int32_t>({6}, {0, 2, 1, 1, 0, 2});
  const Tensor x = random_tensor({6, 4}, 5);
  const std::vector<Tensor> expected = trained(x, labels);
  EXPECT_TRUE(same_bits(trained(x.cast(float64), labels), expected)) << "float64";
  for (const DType dtype : {uint8, int64, float32, float64}) {
    EXPECT_TRUE(same_bits(trained(x, labels.cast(dtype)), expected)) << name_of(dtype);
  }
  EXPECT_TRUE(same_bits(trained(x, labels.reshape({6, 1}).cast(uint8)), expected)) << "a column of labels";
}

TEST_P(TrainingStep, IntegersAsData) {
  const Sequential model = linear_model(2, 1);
  model.compile(still());
  const Tensor pixels = Tensor::from_data<std::uint8_t>({3, 1}, {0, 1, 200});
  EXPECT_EQ(model.predict(pixels, {.verbose = 0}).to_vector(), (std::vector<double>{1, 3, 401}));
  EXPECT_EQ(model.evaluate(pixels, Tensor::from_data<std::int32_t>({3, 1}, {1, 3, 401}), {.verbose = 0}).at("loss"), 0);
}

TEST_P(TrainingStep, TwoModelsMayTrainAtOnce) {
  const auto make = [](std::uint64_t seed) {
    Sequential model({layers::Input({.shape = {4}}), layers::Dense(16, {.activation = "relu"}), layers::Dense(2)});
    model.set_weights({random_tensor({4, 16}, seed), random_tensor({16}, seed + 1), random_tensor({16, 2}, seed + 2),
                       random_tensor({2}, seed + 3)});
    model.compile(options(optimizers::Adam({.learning_rate = 0.02})));
    return model;
  };
  const auto train = [](const Sequential& model) {
    model.fit(x_data, y_data, {.batch_size = 5, .epochs = 20, .verbose = 0, .shuffle = false});
  };
  const Sequential alone_first = make(10);
  const Sequential alone_second = make(20);
  train(alone_first);
  train(alone_second);

  const Sequential first = make(10);
  const Sequential second = make(20);
  std::thread other([&] { train(second); });
  train(first);
  other.join();
  EXPECT_TRUE(same_bits(copies_of_weights(first), copies_of_weights(alone_first)));
  EXPECT_TRUE(same_bits(copies_of_weights(second), copies_of_weights(alone_second)));
}

}  // namespace
}  // namespace rhyton::models
