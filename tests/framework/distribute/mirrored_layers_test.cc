// Layers that depend on seeing only a part of a batch: Dropout and BatchNormalization.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/distribute/eager_replicas.h>
#include <rhyton/framework/distribute/replica_batches.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/preprocessing/random_crop.h>
#include <rhyton/layers/preprocessing/random_erasing.h>
#include <rhyton/layers/preprocessing/random_flip.h>
#include <rhyton/layers/preprocessing/random_rotation.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/framework/distribute/training_setup.h>

namespace rhyton::distribute {
namespace {

constexpr int replicas = 3;

/// A layer's outputs in training for a batch that is divided among three replicas, concatenated.
Tensor trained_outputs(const layers::Layer& layer, const Tensor& x) {
  const MirroredStrategy strategy(logical_cpus(replicas));
  std::vector<ReplicaBatch> parts;
  for (int replica = 0; replica < replicas; ++replica) {
    parts.push_back(replica_batch(x.shape()[0], replica, replicas));
  }
  const auto outputs = run_eagerly(*strategy.impl(), parts, [&](int replica) {
    const ReplicaBatch& part = parts[static_cast<std::size_t>(replica)];
    return std::vector<Tensor>{layer(x.slice(part.first_sample, part.first_sample + part.samples), {.training = true})};
  });
  std::vector<Tensor> all;
  for (const std::vector<Tensor>& output : outputs) all.push_back(output.front());
  return concatenate(all, 0);
}

TEST(DropoutOfReplicas, DrawsWhatOneDeviceWould) {
  const Tensor x = Tensor::full({8, 50}, 1.0);
  const layers::Dropout one(0.5, {.seed = 7});
  const layers::Dropout several(0.5, {.seed = 7});
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(trained_outputs(several, x).to_vector(), one(x, {.training = true}).to_vector()) << "call " << call;
  }
}

TEST(DropoutOfReplicas, DiffersBetweenReplicas) {
  const Tensor y = trained_outputs(layers::Dropout(0.5, {.seed = 7}), Tensor::full({6, 50}, 1.0));
  EXPECT_NE(y.slice(0, 2).to_vector(), y.slice(2, 4).to_vector());
  EXPECT_NE(y.slice(2, 4).to_vector(), y.slice(4, 6).to_vector());
}

TEST(DropoutOfReplicas, AMaskForAllSamplesIsTheSameForAllReplicas) {
  const Tensor x = Tensor::full({6, 50}, 1.0);
  const layers::Dropout one(0.5, {.noise_shape = {{1, 50}}, .seed = 7});
  const layers::Dropout several(0.5, {.noise_shape = {{1, 50}}, .seed = 7});
  const Tensor y = trained_outputs(several, x);
  EXPECT_EQ(y.to_vector(), one(x, {.training = true}).to_vector());
  EXPECT_EQ(y.slice(0, 2).to_vector(), y.slice(4, 6).to_vector());
}

TEST(RandomImagesOfReplicas, AreThoseOfOneDevice) {
  const Tensor images = broadcast_to(reshape(range(42, DType::float32), {1, 6, 7, 1}), {8, 6, 7, 1});
  const auto expect_equal = [&](const layers::Layer& one, const layers::Layer& several) {
    for (int call = 0; call < 2; ++call) {
      EXPECT_EQ(trained_outputs(several, images).to_vector(), one(images, {.training = true}).to_vector())
          << one.class_name() << ", call " << call;
    }
  };
  expect_equal(layers::RandomFlip({.seed = 7}), layers::RandomFlip({.seed = 7}));
  expect_equal(layers::RandomRotation(0.4, {.seed = 7}), layers::RandomRotation(0.4, {.seed = 7}));
  expect_equal(layers::RandomCrop(3, 4, {.seed = 7}), layers::RandomCrop(3, 4, {.seed = 7}));
  expect_equal(layers::RandomErasing({.seed = 7}), layers::RandomErasing({.seed = 7}));
}

class BatchNormalizationOfReplicas : public testing::TestWithParam<bool> {
 protected:
  static constexpr std::int64_t samples = 7;

  /// After one step on the whole batch.
  models::Model trained(int count, bool synchronized) const {
    const Training training{
        .make_model =
            [&] {
              const models::Sequential model(
                  {layers::Input({.shape = {4}}),
                   layers::BatchNormalization({.momentum = 0.75, .synchronized = synchronized})});
              model.compile(
                  {.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse", .run_eagerly = GetParam()});
              return models::Model(model);
            },
        .x = x,
        .y = random_normal({samples, 4}, 2, 0),
        .fit = {.batch_size = samples, .shuffle = false}};
    return training.run(count).model;
  }

  static void expect_near(const Tensor& actual, const Tensor& expected) {
    EXPECT_LE(relative_distance(actual, expected), 1e-6);
  }

  const Tensor x = random_normal({samples, 4}, 1, 0);
};

TEST_P(BatchNormalizationOfReplicas, MovingAveragesAreTheMeanOverReplicasBySamples) {
  const models::Model model = trained(replicas, false);
  Tensor of_means = Tensor::zeros({4});
  Tensor of_variances = Tensor::zeros({4});
  for (int replica = 0; replica < replicas; ++replica) {
    const ReplicaBatch part = replica_batch(samples, replica, replicas);
    const Moments own = moments(x.slice(part.first_sample, part.first_sample + part.samples), {0});
    const double share = static_cast<double>(part.samples) / static_cast<double>(samples);
    of_means = of_means + own.mean * share;
    of_variances = of_variances + own.variance * share;
  }
  expect_near(model.weights()[2], of_means * 0.25);
  expect_near(model.weights()[3], of_variances * 0.25 + 0.75);
}

TEST_P(BatchNormalizationOfReplicas, SynchronizedTheyAreThoseOfTheWholeBatch) {
  const models::Model model = trained(replicas, true);
  const Moments whole = moments(x, {0});
  expect_near(model.weights()[2], whole.mean * 0.25);
  expect_near(model.weights()[3], whole.variance * 0.25 + 0.75);
  const models::Model one = trained(0, false);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LE(relative_distance(model.weights()[i].stored_value(), one.weights()[i].stored_value()), 1e-5) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(CompiledAndEager, BatchNormalizationOfReplicas, testing::Bool(),
                         [](const auto& info) { return info.param ? "Eager" : "Compiled"; });

}  // namespace
}  // namespace rhyton::distribute
