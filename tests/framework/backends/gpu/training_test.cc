// Training of models on the GPU compared with the CPU: the same losses, the same weights within rounding.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/shaping.h>
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

// Rounding errors grow with each step, most of all in half types and with Adam, whose early steps depend little on the
// size of a gradient: after 90 steps two correct trainings may be far apart. So no training here has more than ten
// steps, on a card as on the emulation, and tolerances come from measuring what rounding does: the same trainings on
// the CPU with their sums in other orders, and for half types also in float32 (`measured_tolerances`).

namespace rhyton::gpu::training_tests {
namespace {

using models::Model;
using models::Sequential;
using test::random_tensor;
using test::relative_distance;
using test::same_bits;

/// A model with its data, and the number of its epochs: at most ten steps.
struct Task {
  std::function<Model()> model;
  optimizers::Optimizer optimizer;
  Tensor x;
  Tensor y;
  std::int64_t batch_size = 16;
  int epochs = 2;
  bool shuffle = true;
  /// Whether the samples of a batch may trade places: not with Dropout, which drops by place.
  bool are_samples_alike = true;
  /// The shape of an image before Flatten, if there is one.
  Shape flattened = {};
};

Tensor labels(std::int64_t count, std::uint64_t seed) {
  return random_tensor({count}, seed, 0.0, 9.99).cast(uint8).to(cpu());
}

// The last batch of an epoch is shorter than the others.
Task convolutional() {
  constexpr std::int64_t size = 12;
  constexpr std::int64_t samples = 72;
  return {.model =
              [] {
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
          .y = labels(samples, 4),
          .flattened = {3, 3, 16}};
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
          .x = random_tensor({120, 20}, 5).to(cpu()),
          .y = labels(120, 6),
          .batch_size = 25,
          .are_samples_alike = false};
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
          .flattened = {3, 3, 8}};
}

Task residual() {
  Task task = normalized();
  task.flattened = {};
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

/// Another order of the sums in a training: units (channels and features) and the samples of each batch trade places.
/// All results are the same but for rounding. By default everything keeps its place.
class SummationOrder {
 public:
  SummationOrder() = default;
  explicit SummationOrder(std::uint64_t seed) : seed_(seed) {}

  Tensor samples(const Tensor& x, const Task& task) const {
    if (!seed_ || task.shuffle || !task.are_samples_alike) return x;
    const std::int64_t count = x.shape()[0];
    std::vector<std::int64_t> indices;
    for (std::int64_t first = 0; first < count; first += task.batch_size) {
      for (const std::int64_t index : permutation(std::min(task.batch_size, count - first))) {
        indices.push_back(first + index);
      }
    }
    return take(x, Tensor::from_data({count}, indices), 0);
  }

  /// The features of samples.
  Tensor features(const Tensor& x) const { return along(x, x.rank() - 1, false); }

  /// A weight with its units in this order, or back in the original one.
  Tensor weight(const Tensor& weight, const Task& task, bool back) const {
    const Shape shape = weight.shape();
    Tensor result = weight;
    const Shape& image = task.flattened;
    if (shape.rank() == 2 && image.rank() == 3 && shape[0] == image.size()) {
      result = reshape(result, {image[0], image[1], image[2], shape[1]});
    }
    for (int axis = std::max(0, result.rank() - 2); axis < result.rank(); ++axis) result = along(result, axis, back);
    return reshape(result, shape);
  }

 private:
  /// The numbers of units in these tests that may trade places; classes and units that are dropped may not.
  static bool has_order(std::int64_t units) { return units == 3 || units == 8 || units == 16 || units == 20; }

  std::vector<std::int64_t> permutation(std::int64_t length) const {
    std::vector<std::int64_t> result(static_cast<std::size_t>(length));
    std::iota(result.begin(), result.end(), std::int64_t{0});
    std::mt19937_64 generator(*seed_ * 1000 + static_cast<std::uint64_t>(length));
    std::shuffle(result.begin(), result.end(), generator);
    return result;
  }

  Tensor along(const Tensor& x, int axis, bool back) const {
    const std::int64_t length = x.shape()[axis];
    if (!seed_ || !has_order(length)) return x;
    const std::vector<std::int64_t> places = permutation(length);
    std::vector<std::int64_t> indices = places;
    for (std::size_t i = 0; back && i < places.size(); ++i) {
      indices[static_cast<std::size_t>(places[i])] = static_cast<std::int64_t>(i);
    }
    return take(x, Tensor::from_data({length}, indices), axis);
  }

  std::optional<std::uint64_t> seed_;
};

struct Trained {
  std::vector<double> losses;
  std::vector<double> accuracies;
  std::vector<Tensor> initial;
  std::vector<Tensor> weights;
  Tensor predictions;
};

constexpr std::uint64_t usual_seed = 11;

/// Trains a new model on that device; the random numbers are those of the seed, on all devices.
Trained train(const Task& task, LogicalDevice& target, const SummationOrder& order = {},
              std::uint64_t seed = usual_seed) {
  clear_session();
  set_random_seed(seed);
  Trained trained{};
  Tensor x;
  Tensor y;
  Model model = [&] {
    const auto scope = device(cpu());
    Model made = task.model();
    for (const Variable& weight : made.weights()) {
      trained.initial.push_back(weight.value().clone());
      weight.assign(order.weight(weight.value(), task, false));
    }
    x = order.features(order.samples(task.x, task));
    y = order.samples(task.y, task);
    return made;
  }();
  {
    const auto scope = device(target);
    model.compile({.optimizer = optimizers::deserialize(optimizers::serialize(task.optimizer)),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                   .metrics = {"accuracy"}});
    const auto history =
        model.fit(x, y, {.batch_size = task.batch_size, .epochs = task.epochs, .verbose = 0, .shuffle = task.shuffle});
    trained.losses = history["loss"];
    trained.accuracies = history["accuracy"];
    trained.predictions = model.predict(order.features(task.x), {.batch_size = 50, .verbose = 0}).to(cpu());
  }
  const auto scope = device(cpu());
  for (const Variable& weight : model.weights()) {
    trained.weights.push_back(order.weight(weight.value().to(cpu()), task, true));
  }
  return trained;
}

/// How far two trainings are apart, relatively: the changes of all weights together after one step and at the end, the
/// losses of the epochs, and the predictions.
struct Distances {
  double first_step = 0;
  double changes = 0;
  double losses = 0;
  double predictions = 0;
};

Distances largest(const Distances& a, const Distances& b) {
  return {std::max(a.first_step, b.first_step), std::max(a.changes, b.changes), std::max(a.losses, b.losses),
          std::max(a.predictions, b.predictions)};
}

Distances times(const Distances& distances, double factor) {
  return {distances.first_step * factor, distances.changes * factor, distances.losses * factor,
          distances.predictions * factor};
}

double distance_of_changes(const Trained& actual, const Trained& expected) {
  double difference = 0;
  double change = 0;
  for (std::size_t i = 0; i < expected.weights.size(); ++i) {
    const std::vector<double> before = expected.initial[i].to_vector();
    const std::vector<double> left = actual.weights[i].to_vector();
    const std::vector<double> right = expected.weights[i].to_vector();
    for (std::size_t k = 0; k < before.size(); ++k) {
      difference += (left[k] - right[k]) * (left[k] - right[k]);
      change += (right[k] - before[k]) * (right[k] - before[k]);
    }
  }
  return std::sqrt(difference / change);
}

/// A training, and its first step alone.
struct Run {
  Trained first;
  Trained whole;
};

Run run(const Task& task, LogicalDevice& target, const SummationOrder& order = {}, std::uint64_t seed = usual_seed) {
  Task first = task;
  std::vector<std::int64_t> indices(static_cast<std::size_t>(task.batch_size));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  const Tensor batch = Tensor::from_data({task.batch_size}, indices);
  first.x = take(task.x, batch, 0);
  first.y = take(task.y, batch, 0);
  first.epochs = 1;
  return {train(first, target, order, seed), train(task, target, order, seed)};
}

Distances distances(const Run& actual, const Run& expected) {
  Distances result = {.first_step = distance_of_changes(actual.first, expected.first),
                      .changes = distance_of_changes(actual.whole, expected.whole),
                      .losses = 0,
                      .predictions = relative_distance(actual.whole.predictions, expected.whole.predictions)};
  for (std::size_t i = 0; i < expected.whole.losses.size(); ++i) {
    result.losses = std::max(result.losses, std::abs(actual.whole.losses[i] / expected.whole.losses[i] - 1));
  }
  return result;
}

/// Sets the policy of all layers until the end of a test.
class DtypePolicy {
 public:
  explicit DtypePolicy(const char* name) { config::set_dtype_policy(name); }
  ~DtypePolicy() { config::set_dtype_policy("float32"); }
  DtypePolicy(const DtypePolicy&) = delete;
  DtypePolicy& operator=(const DtypePolicy&) = delete;
};

/// What rounding alone may do: the largest of the distances on the CPU, for several initial weights, times a margin.
///
/// In float32 these are the distances between orders of the sums. A GPU also contracts products with sums and computes
/// functions in other ways, with errors of a few units in the last place instead of one: three bits more.
///
/// In half types a GPU rounds in other places, too, since it has other fused kernels. But each of two correct trainings
/// is at most as far from the one in float32 as rounding moves it, so together they are twice as far from each other.
Distances measured_tolerances(Task task, const char* policy) {
  constexpr std::uint64_t seeds = 6;
  constexpr std::uint64_t orders = 4;
  // Distances of some units in the last place of float32 say nothing.
  Distances found = {.first_step = 1e-6, .changes = 1e-6, .losses = 1e-6, .predictions = 1e-6};
  const bool is_half = std::string_view(policy) != "float32";
  task.shuffle = false;
  for (std::uint64_t seed = usual_seed; seed < usual_seed + seeds; ++seed) {
    const Run expected = [&] {
      const DtypePolicy whole_model(policy);
      return run(task, cpu(), {}, seed);
    }();
    if (is_half) found = largest(found, distances(expected, run(task, cpu(), {}, seed)));
    const DtypePolicy whole_model(policy);
    for (std::uint64_t order = 1; order <= orders; ++order) {
      found = largest(found, distances(run(task, cpu(), SummationOrder(order), seed), expected));
    }
  }
  return times(found, is_half ? 2 : 8);
}

/// Trains there and on the CPU.
void expect_alike(const Task& task, LogicalDevice& target, const char* policy = "float32") {
  SCOPED_TRACE(policy);
  const Distances tolerances = measured_tolerances(task, policy);
  const DtypePolicy whole_model(policy);
  const Run actual = run(task, target);
  const Run expected = run(task, cpu());
  ASSERT_EQ(actual.whole.losses.size(), expected.whole.losses.size());
  ASSERT_EQ(actual.whole.weights.size(), expected.whole.weights.size());
  const Distances found = distances(actual, expected);
  EXPECT_LE(found.first_step, tolerances.first_step);
  EXPECT_LE(found.changes, tolerances.changes);
  EXPECT_LE(found.losses, tolerances.losses);
  EXPECT_LE(found.predictions, tolerances.predictions);
  for (std::size_t i = 0; i < expected.whole.accuracies.size(); ++i) {
    EXPECT_NEAR(actual.whole.accuracies[i], expected.whole.accuracies[i], 0.02) << "epoch " << i;
  }
  for (const Tensor& weight : actual.whole.weights) EXPECT_EQ(weight.dtype(), float32);
}

class TrainingOnGpu : public ::testing::Test {
 protected:
  void SetUp() override { config::enable_tensor_float_32_execution(false); }
  void TearDown() override { config::enable_tensor_float_32_execution(true); }
};

TEST_F(TrainingOnGpu, AConvolutionalNetworkLearnsAsOnTheCpu) { expect_alike(convolutional(), first_gpu()); }

TEST_F(TrainingOnGpu, DropoutDropsTheSameUnits) { expect_alike(dropout(), first_gpu()); }

TEST_F(TrainingOnGpu, BatchNormalizationKeepsTheSameStatistics) { expect_alike(normalized(), first_gpu()); }

TEST_F(TrainingOnGpu, ResidualBlocksLearnAsOnTheCpu) { expect_alike(residual(), first_gpu()); }

TEST_F(TrainingOnGpu, MixedPrecisionLearnsAsOnTheCpu) {
  for (const char* policy : {"mixed_bfloat16", "mixed_float16"}) expect_alike(convolutional(), first_gpu(), policy);
}

// Without this the tests above could pass with any training.
TEST_F(TrainingOnGpu, TolerancesAreSmallerThanWhatAStepChanges) {
  for (Task (*task)() : {&convolutional, &dropout, &normalized, &residual}) {
    const Distances exact = measured_tolerances(task(), "float32");
    EXPECT_LT(exact.first_step, 1e-2);
    EXPECT_LT(exact.changes, 1e-2);
    EXPECT_LT(exact.losses, 1e-4);
    EXPECT_LT(exact.predictions, 1e-4);
  }
  for (const char* policy : {"mixed_bfloat16", "mixed_float16"}) {
    const Distances half = measured_tolerances(convolutional(), policy);
    EXPECT_LT(half.first_step, 1.2);  // of two trainings that have nothing in common: about 1.4
    EXPECT_LT(half.changes, 1);
    EXPECT_LT(half.losses, 2e-2);
    EXPECT_LT(half.predictions, 0.2);
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
                  .batch_size = 100,
                  .epochs = 1};
  ASSERT_GT(task.x.spec().bytes(), *small_gpu().allocator().statistics().limit / 2);
  expect_alike(task, small_gpu());
}

}  // namespace
}  // namespace rhyton::gpu::training_tests
