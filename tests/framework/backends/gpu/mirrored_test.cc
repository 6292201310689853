// Training of replicas on two logical GPUs of one card, compared with one CPU.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/distribute/mirrored_strategy.h>
#include <rhyton/framework/distribute/replica_group.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/framework/backends/gpu/cards.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

#ifdef RHYTON_CUDA_EMULATION
#include <emulator.h>
#endif

namespace rhyton::gpu {
namespace {

using test::random_tensor;
using test::relative_distance;
using test::same_bits;

// 5 batches of 16 and one of 3, two samples of which belong to the first replica.
constexpr std::int64_t training_samples = 83;

struct Trained {
  models::History history;
  std::vector<Tensor> weights;
  Tensor predictions;
  LogicalDevice* device = nullptr;
};

/// Without a strategy, trains on the CPU.
Trained train(const std::optional<distribute::Strategy>& strategy, const std::string& policy = "float32") {
  clear_session();
  set_random_seed(5);
  const Tensor x = random_tensor({training_samples, 8, 8, 1}, 1).to(cpu());
  const Tensor y = random_tensor({training_samples}, 2, 0.0, 9.99).cast(uint8).to(cpu());
  std::optional<distribute::StrategyScope> scope;
  if (strategy) scope.emplace(*strategy);
  const std::string before = config::dtype_policy();
  config::set_dtype_policy(policy);
  models::Sequential model({layers::Input({.shape = {8, 8, 1}}), layers::Conv2D(8, {3, 3}, {.use_bias = false}),
                            layers::BatchNormalization({.synchronized = true}), layers::Flatten(), layers::Dropout(0.3),
                            layers::Dense(10, {.dtype = "float32"})});
  config::set_dtype_policy(before);
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                 .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                 .metrics = {"accuracy"}});
  scope.reset();
  Trained trained;
  trained.history = model.fit(x, y, {.batch_size = 16, .epochs = 3, .verbose = 0});
  for (const Variable& weight : model.weights()) trained.weights.push_back(weight.stored_value().to(cpu()).clone());
  trained.predictions = model.predict(x, {.verbose = 0});
  trained.device = &model.weights().front().stored_value().device();
  return trained;
}

distribute::Strategy two_of_one_card() { return distribute::MirroredStrategy({"/gpu:0", "/gpu:1"}); }

void expect_like(const Trained& actual, const Trained& expected, double tolerance) {
  for (const char* name : {"loss", "accuracy"}) {
    for (std::size_t epoch = 0; epoch < 3; ++epoch) {
      EXPECT_NEAR(actual.history.history.at(name)[epoch], expected.history.history.at(name)[epoch], tolerance) << name;
    }
  }
  for (std::size_t i = 0; i < expected.weights.size(); ++i) {
    EXPECT_LE(relative_distance(actual.weights[i], expected.weights[i]), tolerance) << i;
  }
  EXPECT_LE(relative_distance(actual.predictions, expected.predictions), tolerance);
}

TEST(MirroredGpus, TrainLikeOneCpu) {
  const bool tensor_float_32 = config::tensor_float_32_execution_enabled();
  config::enable_tensor_float_32_execution(false);
  const Trained two = train(two_of_one_card());
  expect_like(two, train(std::nullopt), 1e-4);
  EXPECT_EQ(two.device, &first_gpu());
  config::enable_tensor_float_32_execution(tensor_float_32);
}

TEST(MirroredGpus, SumWithTheSameBitsWhereverTheyAdd) {
  const Trained on_one = train(two_of_one_card());
  const Trained on_all = train(distribute::MirroredStrategy(
      {.devices = {"/gpu:0", "/gpu:1"}, .cross_device_ops = distribute::HierarchicalCopyAllReduce()}));
  for (std::size_t i = 0; i < on_one.weights.size(); ++i) {
    EXPECT_TRUE(same_bits(on_one.weights[i], on_all.weights[i])) << i;
  }
}

TEST(MirroredGpus, TrainWithTheSameBitsEachTime) {
  const Trained first = train(two_of_one_card());
  const Trained second = train(two_of_one_card());
  for (std::size_t i = 0; i < first.weights.size(); ++i) {
    EXPECT_TRUE(same_bits(first.weights[i], second.weights[i])) << i;
  }
  EXPECT_EQ(first.history.history, second.history.history);
}

#ifdef RHYTON_CUDA_EMULATION

TEST(MirroredGpus, SumWhatLiesSideBySideAtOnce) {
  constexpr std::int64_t count = 100;
  const auto launches_with_gap = [&](std::int64_t gap) {
    const auto group = distribute::ReplicaGroup::make(2);
    std::vector<Tensor> memory;
    for (LogicalDevice* const gpu : {&first_gpu(), &second_gpu()}) {
      memory.push_back(Tensor::full({2 * count + gap}, 1.5).to(*gpu));
    }
    const std::int64_t before = cuda_emulation::counters().kernels_launched;
    std::vector<std::thread> members;
    for (int m = 0; m < 2; ++m) {
      members.emplace_back([&, m] {
        auto* const first = static_cast<float*>(memory[static_cast<std::size_t>(m)].mutable_device_data());
        float* const second = first + count + gap;
        const std::vector<ReductionBuffer> buffers = {{first, first, count, float32}, {second, second, count, float32}};
        LogicalDevice& gpu = m == 0 ? first_gpu() : second_gpu();
        const DeviceScope scope(gpu);
        group->member(m)->all_reduce(buffers, &gpu.stream());
      });
    }
    for (std::thread& member : members) member.join();
    const std::int64_t launches = cuda_emulation::counters().kernels_launched - before;
    for (const Tensor& sums : memory) {
      const std::vector<double> values = sums.to(cpu()).to_vector();
      for (std::int64_t i = 0; i < 2 * count + gap; ++i) {
        const bool is_summed = i < count || i >= count + gap;
        EXPECT_EQ(values[static_cast<std::size_t>(i)], is_summed ? 3.0 : 1.5) << i;
      }
    }
    return launches;
  };
  EXPECT_EQ(launches_with_gap(0), 1);
  EXPECT_EQ(launches_with_gap(3), 2);
}

#endif

TEST(MirroredGpus, TrainInMixedPrecision) {
  const Trained two = train(two_of_one_card(), "mixed_float16");
  expect_like(two, train(distribute::MirroredStrategy({"/gpu:0"}), "mixed_float16"), 3e-2);
}

// The runtime of these tests has one card: the steps of MirroredStrategy for several cards are done explicitly.
TEST(MirroredGpus, OfSeveralCardsSumWithNccl) {
  if (card_count() < 3) GTEST_SKIP() << "There are less than 3 cards.";
  const bool tensor_float_32 = config::tensor_float_32_execution_enabled();
  config::enable_tensor_float_32_execution(false);
  const Trained three = train(distribute::Strategy(std::make_shared<distribute::StrategyImpl>(
      distribute::StrategyImpl::Options{.name = "MirroredStrategy",
                                        .devices = {&first_gpu(), &gpu_of_card(1), &gpu_of_card(2)},
                                        .cross_device_ops = distribute::NcclAllReduce()})));
  expect_like(three, train(std::nullopt), 1e-4);
  config::enable_tensor_float_32_execution(tensor_float_32);
}

}  // namespace
}  // namespace rhyton::gpu
