// Training of models on the GPU compared with the CPU: the same losses, the same weights within rounding.

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/rmsprop.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::training_tests {
namespace {

using models::Model;
using models::Sequential;
using test::random_tensor;
using test::relative_distance;
using test::same_bits;

/// A model with its data, and the number of its epochs.
struct Task {
  std::function<Model()> model;
  optimizers::Optimizer optimizer;
  Tensor x;
  Tensor y;
  std::int64_t batch_size = 16;
  int epochs = 2;
};

Tensor labels(std::int64_t count, std::uint64_t seed) {
  return random_tensor({count}, seed, 0.0, 9.99).cast(uint8).to(cpu());
}

// Sizes suitable for the emulation; the last batch of an epoch is shorter than the others.
Task convolutional() {
  const std::int64_t size = is_emulated() ? 12 : 28;
  const std::int64_t samples = is_emulated() ? 72 : 720;
  return {.model =
              [size] {
                return Sequential({
                    layers::Input({.shape = {size, size, 1}}),
                    layers::Conv2D(8, {3, 3}, {.activation = "relu"}),
                    layers::MaxPooling2D({2, 2}),
                    layers::Conv2D(16, {3, 3}, {.activation = "relu"}),
                    layers::Flatten(),
                    layers::Dense(10),
                });
              },
          .optimizer = optimizers::Adam({.learning_rate = 1e-3}),
          .x = random_tensor({samples, size, size, 1}, 3).to(cpu()),
          .y = labels(samples, 4)};
}

Task dropout() {
  return {.model =
              [] {
                return Sequential({
                    layers::Input({.shape = {20}}),
                    layers::Dense(33, {.activation = "gelu"}),
                    layers::Dropout(0.4),
                    layers::Dense(17, {.activation = "tanh"}),
                    layers::Dropout(0.2),
                    layers::Dense(10),
                });
              },
          .optimizer = optimizers::RMSprop({.learning_rate = 1e-3}),
          .x = random_tensor({250, 20}, 5).to(cpu()),
          .y = labels(250, 6),
          .batch_size = 25,
          .epochs = 10};
}

Task normalized() {
  return {.model =
              [] {
                return Sequential({
                    layers::Input({.shape = {6, 6, 3}}),
                    layers::Conv2D(8, {3, 3}, {.padding = "same", .use_bias = false}),
                    layers::BatchNormalization(),
                    layers::AveragePooling2D({2, 2}),
                    layers::Flatten(),
                    layers::Dense(10, {.activation = "silu"}),
                });
              },
          .optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9}),
          .x = random_tensor({100, 6, 6, 3}, 7).to(cpu()),
          .y = labels(100, 8),
          .batch_size = 32,
          .epochs = 4};
}

Task residual() {
  Task task = normalized();
  task.model = [] {
    const auto normalize = [](const layers::SymbolicTensor& x, bool has_relu) {
      layers::SymbolicTensor y = layers::Conv2D(8, {3, 3}, {.padding = "same", .use_bias = false})(x);
      y = layers::BatchNormalization()(y);
      return has_relu ? layers::ReLU()(y) : y;
    };
    const layers::SymbolicTensor inputs = layers::Input({.shape = {6, 6, 3}});
    const layers::SymbolicTensor block = normalize(inputs, true);
    const layers::SymbolicTensor sum = layers::Add()({normalize(normalize(block, true), false), block});
    layers::SymbolicTensor y = layers::GlobalAveragePooling2D()(layers::ReLU()(sum));
    return Model({.inputs = inputs, .outputs = layers::Dense(10)(y)});
  };
  return task;
}

struct Trained {
  std::vector<double> losses;
  std::vector<double> accuracies;
  std::vector<Tensor> weights;
  Tensor predictions;
};

/// Trains a new model on that device; the random numbers are the same for all.
Trained train(const Task& task, LogicalDevice& target) {
  clear_session();
  set_random_seed(11);
  Model model = [&] {
    const auto scope = device(cpu());
    return task.model();
  }();
  const auto scope = device(target);
  model.compile({.optimizer = optimizers::deserialize(optimizers::serialize(task.optimizer)),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  const auto history = model.fit(task.x, task.y, {.batch_size = task.batch_size, .epochs = task.epochs, .verbose = 0});
  Trained trained{.losses = history["loss"], .accuracies = history["accuracy"], .weights = {}, .predictions = {}};
  trained.predictions = model.predict(task.x, {.batch_size = 50, .verbose = 0});
  for (const Variable& weight : model.weights()) trained.weights.push_back(weight.value().to(cpu()));
  return trained;
}

void expect_alike(const Trained& actual, const Trained& expected) {
  ASSERT_EQ(actual.losses.size(), expected.losses.size());
  for (std::size_t i = 0; i < expected.losses.size(); ++i) {
    EXPECT_NEAR(actual.losses[i], expected.losses[i], 1e-4 * expected.losses[i]) << "epoch " << i;
    EXPECT_NEAR(actual.accuracies[i], expected.accuracies[i], 0.02) << "epoch " << i;
  }
  ASSERT_EQ(actual.weights.size(), expected.weights.size());
  for (std::size_t i = 0; i < expected.weights.size(); ++i) {
    EXPECT_LT(relative_distance(actual.weights[i], expected.weights[i]), 1e-4) << "weight " << i;
  }
  EXPECT_LT(relative_distance(actual.predictions, expected.predictions), 1e-4);
}

class TrainingOnGpu : public ::testing::Test {
 protected:
  void SetUp() override { config::enable_tensor_float_32_execution(false); }
  void TearDown() override { config::enable_tensor_float_32_execution(true); }
};

TEST_F(TrainingOnGpu, AConvolutionalNetworkLearnsAsOnTheCpu) {
  const Task task = convolutional();
  expect_alike(train(task, first_gpu()), train(task, cpu()));
}

TEST_F(TrainingOnGpu, DropoutDropsTheSameUnits) {
  const Task task = dropout();
  expect_alike(train(task, first_gpu()), train(task, cpu()));
}

TEST_F(TrainingOnGpu, BatchNormalizationKeepsTheSameStatistics) {
  const Task task = normalized();
  expect_alike(train(task, first_gpu()), train(task, cpu()));
}

TEST_F(TrainingOnGpu, ResidualBlocksLearnAsOnTheCpu) {
  const Task task = residual();
  expect_alike(train(task, first_gpu()), train(task, cpu()));
}

/// Sets the policy of all layers until the end of a test.
class DtypePolicy {
 public:
  explicit DtypePolicy(const char* name) { config::set_dtype_policy(name); }
  ~DtypePolicy() { config::set_dtype_policy("float32"); }
  DtypePolicy(const DtypePolicy&) = delete;
  DtypePolicy& operator=(const DtypePolicy&) = delete;
};

TEST_F(TrainingOnGpu, MixedPrecisionLearnsAsOnTheCpu) {
  for (const char* policy : {"mixed_bfloat16", "mixed_float16"}) {
    SCOPED_TRACE(policy);
    const DtypePolicy mixed(policy);
    const Task task = convolutional();
    const Trained actual = train(task, first_gpu());
    const Trained expected = train(task, cpu());
    // Sums of half numbers round differently in another order: a few of their last digits.
    const double error = std::string_view(policy) == "mixed_bfloat16" ? 0.02 : 0.003;
    for (std::size_t i = 0; i < expected.losses.size(); ++i) {
      EXPECT_NEAR(actual.losses[i], expected.losses[i], error * expected.losses[i]);
    }
    for (std::size_t i = 0; i < expected.weights.size(); ++i) {
      EXPECT_EQ(actual.weights[i].dtype(), float32);
      EXPECT_LT(relative_distance(actual.weights[i], expected.weights[i]), error) << "weight " << i;
    }
  }
}

TEST_F(TrainingOnGpu, ReplayedGraphsGiveTheBitsOfSingleCalls) {
  const Task task = dropout();
  const Trained replayed = train(task, first_gpu());
  const test::EnvironmentVariable no_graph("RHYTON_NO_GRAPH", "1");
  const Trained single = train(task, first_gpu());
  EXPECT_TRUE(same_bits(replayed.weights, single.weights));
  EXPECT_EQ(replayed.losses, single.losses);
}

TEST_F(TrainingOnGpu, TwiceGivesTheSameBits) {
  const Task task = normalized();
  EXPECT_TRUE(same_bits(train(task, first_gpu()).weights, train(task, first_gpu()).weights));
}

TEST_F(TrainingOnGpu, FusedBatchNormalizationGivesTheBitsOfSingleOps) {
  for (const char* policy : {"float32", "mixed_bfloat16", "mixed_float16"}) {
    SCOPED_TRACE(policy);
    const DtypePolicy whole_model(policy);
    const Task task = residual();
    const Trained fused = train(task, first_gpu());
    const test::EnvironmentVariable disabled("RHYTON_DISABLE_PASSES", "fuse_batch_normalization");
    const Trained single = train(task, first_gpu());
    EXPECT_TRUE(same_bits(fused.weights, single.weights));
    EXPECT_EQ(fused.losses, single.losses);
  }
}

TEST_F(TrainingOnGpu, BothLogicalGpusComputeTheSame) {
  const Task task = dropout();
  EXPECT_TRUE(same_bits(train(task, first_gpu()).weights, train(task, second_gpu()).weights));
}

TEST_F(TrainingOnGpu, AModelMovesWhereItIsTrained) {
  const Task task = normalized();
  const Model model = task.model();
  model.compile({.optimizer = "sgd", .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  const auto place = [&] { return model.weights().front().stored_value().device().name(); };
  const auto fit_on = [&](const char* name) {
    const auto scope = device(name);
    model.fit(task.x, task.y, {.epochs = 1, .verbose = 0});
  };
  fit_on("/GPU:0");
  EXPECT_EQ(place(), "/device:GPU:0");
  fit_on("/CPU:0");
  EXPECT_EQ(place(), "/device:CPU:0");
  fit_on("/GPU:1");
  EXPECT_EQ(place(), "/device:GPU:1");
}

TEST_F(TrainingOnGpu, ALabelOutOfRangeIsToldWhenResultsAreRead) {
  const Task task = dropout();
  const Model model = task.model();
  model.compile({.optimizer = "sgd", .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  Tensor y = task.y.clone();
  y.mutable_data<std::uint8_t>()[17] = 10;
  const auto scope = device("/GPU:0");
  EXPECT_THROW(
      {
        try {
          model.fit(task.x, y, {.epochs = 1, .verbose = 0});
        } catch (const InvalidArgumentError& error) {
          EXPECT_EQ(std::string(error.what()),
                    "Received a label value of 10 which is outside the valid range of [0, 10).");
          throw;
        }
      },
      InvalidArgumentError);
}

TEST_F(TrainingOnGpu, DataThatDoNotFitAreCopiedBatchByBatch) {
  const std::int64_t width = 1 << 12;
  const Task task{.model =
                      [=] {
                        return Sequential({layers::Input({.shape = {width}}), layers::Dense(10)});
                      },
                  .optimizer = optimizers::SGD({.learning_rate = 0.01}),
                  .x = random_tensor({800, width}, 9).to(cpu()),
                  .y = labels(800, 10),
                  .batch_size = 100};
  ASSERT_GT(task.x.spec().bytes(), *small_gpu().allocator().statistics().limit / 2);
  expect_alike(train(task, small_gpu()), train(task, cpu()));
}

}  // namespace
}  // namespace rhyton::gpu::training_tests
