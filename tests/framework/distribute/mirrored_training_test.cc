#include <rhyton/tests/framework/distribute/training_setup.h>

#include <memory>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/models/metrics/accuracy.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adafactor.h>
#include <rhyton/optimizers/adagrad.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/adam_w.h>
#include <rhyton/optimizers/adamax.h>
#include <rhyton/optimizers/loss_scale_optimizer.h>
#include <rhyton/optimizers/multi_optimizer.h>
#include <rhyton/optimizers/muon.h>
#include <rhyton/optimizers/nadam.h>
#include <rhyton/optimizers/rmsprop.h>
#include <rhyton/optimizers/schedule_free_adam_w.h>
#include <rhyton/optimizers/sgd.h>

// A strategy with N replicas compared with one device: the same losses, metrics and variables up to rounding, and the
// same bits in each run.

namespace rhyton::distribute {
namespace {

using layers::Conv2D;
using layers::Dense;
using models::Model;
using models::Sequential;

Tensor random_images(std::int64_t count) { return random_uniform({count, 28, 28, 1}, 7, 0); }

Tensor random_labels(std::int64_t count, int classes) {
  const std::vector<double> numbers = random_uniform({count}, 8, 0).to_vector();
  std::vector<std::int64_t> labels;
  for (const double number : numbers) labels.push_back(static_cast<std::int64_t>(number * classes));
  return Tensor::from_data<std::int64_t>({count}, labels);
}

Model mnist_cnn() {
  Sequential model({layers::Input({.shape = {28, 28, 1}}), Conv2D(8, {3, 3}, {.activation = "relu"}),
                    layers::MaxPooling2D({2, 2}), Conv2D(16, {3, 3}, {.activation = "relu"}),
                    layers::MaxPooling2D({2, 2}), layers::Flatten(), layers::Dropout(0.5),
                    Dense(10, {.activation = "softmax"})});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = "sparse_categorical_crossentropy",
                 .metrics = {"accuracy"}});
  return model;
}

Model mlp(const optimizers::Optimizer& optimizer) {
  Sequential model({layers::Input({.shape = {12}}),
                    Dense(16, {.activation = "tanh", .kernel_regularizer = regularizers::L2(0.01)}), Dense(3)});
  model.compile({.optimizer = optimizer, .loss = "mse", .metrics = {"mae"}});
  return model;
}

Tensor features(std::int64_t samples) { return random_normal({samples, 12}, 3, 0); }
Tensor targets(std::int64_t samples) { return random_normal({samples, 3}, 4, 0); }

class Replicas : public testing::TestWithParam<int> {};

TEST_P(Replicas, TrainTheMnistCnnLikeOneDevice) {
  // 30 steps, the last of which has two samples: some replicas get none.
  const Training training{.make_model = mnist_cnn,
                          .x = random_images(29 * 16 + 2),
                          .y = random_labels(29 * 16 + 2, 10),
                          .fit = {.batch_size = 16, .shuffle = false}};
  const Trained replicated = training.run(GetParam());
  expect_equal_trainings(replicated, training.run(0));
  expect_same_bits(training.run(GetParam()), replicated);
}

TEST_P(Replicas, TrainWithEveryOptimizerLikeOneDevice) {
  const std::vector<std::function<optimizers::Optimizer()>> all = {
      [] { return optimizers::SGD({.learning_rate = 0.05}); },
      [] { return optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9, .nesterov = true, .clipnorm = 0.1}); },
      [] { return optimizers::Adam({.learning_rate = 0.01, .clipvalue = 0.01}); },
      [] { return optimizers::Adam({.learning_rate = 0.01, .amsgrad = true, .global_clipnorm = 0.05}); },
      [] { return optimizers::AdamW({.learning_rate = 0.01, .use_ema = true, .ema_overwrite_frequency = 3}); },
      [] { return optimizers::RMSprop({.learning_rate = 0.01, .momentum = 0.5, .centered = true}); },
      [] { return optimizers::SGD({.learning_rate = 0.05, .loss_scale_factor = 128.0}); },
      [] { return optimizers::Adam({.learning_rate = 0.01, .gradient_accumulation_steps = 2}); },
      [] { return optimizers::Nadam({.learning_rate = 0.01, .epsilon = 1e-4}); },
      [] { return optimizers::Adafactor(0.05); },
      [] { return optimizers::Muon({.learning_rate = 0.01, .epsilon = 1e-4}); },
      [] { return optimizers::ScheduleFreeAdamW({.learning_rate = 0.01, .epsilon = 1e-4}); },
      [] {
        return optimizers::MultiOptimizer(
            optimizers::OptimizerMap(optimizers::SGD(0.05), {{".*bias", optimizers::Adam({.epsilon = 1e-4})}}));
      }};
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE("optimizer " + std::to_string(i));
    const Training training{.make_model = [&] { return mlp(all[i]()); },
                            .x = features(75),
                            .y = targets(75),
                            .fit = {.batch_size = 10, .epochs = 2}};
    expect_equal_trainings(training.run(GetParam()), training.run(0));
  }
}

TEST_P(Replicas, TrainEmbeddingsBySlicesLikeOneDevice) {
  const std::vector<std::function<optimizers::Optimizer()>> all = {
      [] { return optimizers::Adam({.learning_rate = 0.01, .epsilon = 1e-4}); },
      [] { return optimizers::Adam({.learning_rate = 0.01, .epsilon = 1e-4, .clipnorm = 0.01}); },
      [] { return optimizers::Adamax({.learning_rate = 0.01, .epsilon = 1e-4, .clipvalue = 0.001}); },
      [] { return optimizers::Adagrad({.learning_rate = 0.05, .global_clipnorm = 0.05}); },
      [] { return optimizers::Adam({.learning_rate = 0.01, .epsilon = 1e-4, .gradient_accumulation_steps = 2}); },
      [] {
        return optimizers::LossScaleOptimizer(
            optimizers::RMSprop({.learning_rate = 0.01, .epsilon = 1e-4, .clipvalue = 0.001}));
      },
      [] {
        return optimizers::MultiOptimizer(
            optimizers::OptimizerMap(optimizers::Adam({.epsilon = 1e-4}), {{".*bias", optimizers::SGD(0.05)}}));
      }};
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE("optimizer " + std::to_string(i));
    const auto make_model = [&] {
      Sequential model(
          {layers::Input({.shape = {6}, .dtype = "int32"}), layers::Embedding(5, 4), layers::Flatten(), Dense(3)});
      model.compile({.optimizer = all[i](), .loss = "mse", .sparse_embedding_gradients = true});
      return model;
    };
    const Training training{.make_model = make_model,
                            .x = cast(floor(random_uniform({75, 6}, 7, 0) * 5.0), DType::int32),
                            .y = targets(75),
                            .fit = {.batch_size = 10, .epochs = 2}};
    const Trained replicated = training.run(GetParam());
    expect_equal_trainings(replicated, training.run(0));
    expect_same_bits(training.run(GetParam()), replicated);
  }
}

TEST_P(Replicas, ConstrainWeightsLikeOneDevice) {
  const Training training{
      .make_model =
          [] {
            Sequential model(
                {layers::Input({.shape = {12}}),
                 Dense(16, {.activation = "tanh",
                            .kernel_constraint = constraints::UnitNorm({.axis = 0}),
                            .bias_constraint = "non_neg"}),
                 Dense(3, {.kernel_constraint = constraints::MinMaxNorm({.max_value = 0.5, .rate = 0.3})})});
            model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
            return model;
          },
      .x = features(75),
      .y = targets(75),
      .fit = {.batch_size = 10, .epochs = 2}};
  const Trained replicated = training.run(GetParam());
  expect_equal_trainings(replicated, training.run(0));
  expect_same_bits(training.run(GetParam()), replicated);
}

TEST_P(Replicas, WeighSamplesAndClassesLikeOneDevice) {
  const Tensor weights = random_uniform({75}, 5, 0);
  Training training{.make_model = [] { return mlp(optimizers::SGD({.learning_rate = 0.05})); },
                    .x = features(75),
                    .y = targets(75),
                    .fit = {.batch_size = 10, .sample_weight = weights}};
  expect_equal_trainings(training.run(GetParam()), training.run(0));

  for (const char* reduction : {"sum_over_batch_size", "sum", "mean_with_sample_weight"}) {
    SCOPED_TRACE(reduction);
    training.make_model = [&] {
      Sequential model({layers::Input({.shape = {12}}), Dense(3)});
      model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}),
                     .loss = losses::MeanSquaredError({.reduction = reduction}),
                     .weighted_metrics = {"mae", "mse"}});
      return Model(model);
    };
    expect_equal_trainings(training.run(GetParam()), training.run(0));
  }

  training.make_model = [] {
    Sequential model({layers::Input({.shape = {12}}), Dense(4)});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 3}),
                   .metrics = {"accuracy"},
                   .weighted_metrics = {"accuracy"}});
    return Model(model);
  };
  training.y = random_labels(75, 4);
  training.fit.sample_weight = training::Tensors();
  training.fit.class_weight = {{0, 0.5}, {2, 3.0}};
  expect_equal_trainings(training.run(GetParam()), training.run(0));
}

// The number of steps by which a masked loss is divided is that of the whole batch.
TEST_P(Replicas, TrainMaskedSequencesLikeOneDevice) {
  for (const char* reduction : {"sum_over_batch_size", "mean", "sum", "mean_with_sample_weight"}) {
    SCOPED_TRACE(reduction);
    Training training = masked_training(reduction);
    const Trained replicated = training.run(GetParam());
    expect_equal_trainings(replicated, training.run(0));
    expect_same_bits(training.run(GetParam()), replicated);
    training.fit.sample_weight = random_uniform({75, 6}, 6, 0);
    expect_equal_trainings(training.run(GetParam()), training.run(0));
  }
}

// The moments of the steps that count are those of the whole batch.
TEST_P(Replicas, SynchronizedBatchNormalizationSeesTheMasksOfTheWholeBatch) {
  Training training = masked_training("sum_over_batch_size");
  training.make_model = [] {
    Sequential model({layers::Input({.shape = {6}, .dtype = "int32"}), layers::Embedding(10, 8, {.mask_zero = true}),
                      layers::BatchNormalization({.synchronized = true}), Dense(4)});
    model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
    return Model(model);
  };
  const Trained replicated = training.run(GetParam());
  expect_equal_trainings(replicated, training.run(0), 1e-3);
  expect_same_bits(training.run(GetParam()), replicated);
}

TEST_P(Replicas, SynchronizedBatchNormalizationSeesTheWholeBatch) {
  const Training training{
      .make_model =
          [] {
            // A bias before a normalization would only accumulate rounding errors.
            Sequential model({layers::Input({.shape = {12}}), Dense(8, {.use_bias = false}),
                              layers::BatchNormalization({.synchronized = true}), layers::ReLU(), Dense(3)});
            model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.05}), .loss = "mse"});
            return Model(model);
          },
      .x = features(75),
      .y = targets(75),
      .fit = {.batch_size = 10}};
  const Trained replicated = training.run(GetParam());
  expect_equal_trainings(replicated, training.run(0));
  expect_same_bits(training.run(GetParam()), replicated);
}

TEST_P(Replicas, EvaluateAndPredictLikeOneDevice) {
  const Training training{
      .make_model = mnist_cnn, .x = random_images(70), .y = random_labels(70, 10), .fit = {.batch_size = 32}};
  const Trained one = training.run(0);
  const Trained several = training.run(GetParam());
  several.model.set_weights(one.weights);
  const callbacks::Logs expected = one.model.evaluate(training.x, training.y, {.batch_size = 16, .verbose = 0});
  const callbacks::Logs actual = several.model.evaluate(training.x, training.y, {.batch_size = 16, .verbose = 0});
  EXPECT_NEAR(actual.at("loss"), expected.at("loss"), 1e-5);
  EXPECT_DOUBLE_EQ(actual.at("accuracy"), expected.at("accuracy"));

  const Tensor predicted = several.model.predict(training.x, {.batch_size = 16, .verbose = 0});
  const Tensor wanted = one.model.predict(training.x, {.batch_size = 16, .verbose = 0});
  ASSERT_EQ(predicted.shape(), wanted.shape());
  EXPECT_LE(relative_distance(predicted, wanted), 1e-6);
}

TEST_P(Replicas, TrainEagerlyLikeOneDevice) {
  const Training training{
      .make_model =
          [] {
            Sequential model({layers::Input({.shape = {12}}), Dense(8, {.activation = "relu"}),
                              layers::BatchNormalization({.synchronized = true}), layers::Dropout(0.3), Dense(3)});
            model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                           .loss = "mse",
                           .metrics = {"mae"},
                           .run_eagerly = true});
            return Model(model);
          },
      .x = features(35),
      .y = targets(35),
      .fit = {.batch_size = 8}};
  const Trained replicated = training.run(GetParam());
  expect_equal_trainings(replicated, training.run(0));
  expect_same_bits(training.run(GetParam()), replicated);
}

INSTANTIATE_TEST_SUITE_P(MirroredTraining, Replicas, testing::Values(1, 2, 3, 4, 7));

}  // namespace
}  // namespace rhyton::distribute
