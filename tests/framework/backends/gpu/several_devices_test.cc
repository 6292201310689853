// Graphs and models on several GPUs, and on GPUs and the CPU.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/model.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::several_devices_tests {
namespace {

using layers::Dense;
using layers::SymbolicTensor;
using test::random_tensor;
using test::relative_distance;
using test::same_bits;
using Tensors = std::vector<Tensor>;

template <class Call>
auto on(LogicalDevice& target, const Call& call) {
  const auto scope = device(target);
  return call();
}

/// Three devices, the first two of which each have two parts of the model. Outside of any scope: the layers after them.
models::Model network(LogicalDevice& first, LogicalDevice& second) {
  const layers::Input input({.shape = {6, 6, 1}});
  SymbolicTensor x = on(first, [&] {
    return layers::Flatten()(layers::Conv2D(4, {3, 3}, {.activation = "relu"})(input));
  });
  const SymbolicTensor early = on(second, [&] { return Dense(16, {.activation = "tanh"})(x); });
  x = on(first, [&] { return layers::BatchNormalization()(Dense(16, {.use_bias = false})(early)); });
  x = on(second, [&] { return layers::Dropout(0.1)(layers::Add()({x, early})); });
  return models::Model({.inputs = input, .outputs = Dense(10)(x)});
}

struct Trained {
  std::vector<double> losses;
  callbacks::Logs evaluated;
  Tensor predictions;
  std::vector<Tensor> weights;
  models::Model model;
};

/// Trains on `target` except for layers with a device scope.
Trained train(LogicalDevice& target, LogicalDevice& first, LogicalDevice& second) {
  clear_session();
  set_random_seed(3);
  Trained trained{.losses = {}, .evaluated = {}, .predictions = {}, .weights = {}, .model = on(target, [&] {
                                                                                     return network(first, second);
                                                                                   })};
  const Tensor x = random_tensor({56, 6, 6, 1}, 1).to(cpu());
  const Tensor y = random_tensor({56}, 2, 0.0, 9.99).cast(uint8).to(cpu());
  const auto scope = device(target);
  trained.model.compile({.optimizer = optimizers::Adam({.learning_rate = 5e-3}),
                         .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                         .metrics = {"accuracy"}});
  // 30 steps; the last batch of an epoch is shorter than the others.
  trained.losses = trained.model.fit(x, y, {.batch_size = 12, .epochs = 6, .verbose = 0})["loss"];
  trained.evaluated = trained.model.evaluate(x, y, {.batch_size = 28, .verbose = 0});
  trained.predictions = trained.model.predict(x, {.batch_size = 28, .verbose = 0});
  for (const Variable& weight : trained.model.weights()) trained.weights.push_back(weight.value().to(cpu()));
  return trained;
}

void expect_alike(const Trained& actual, const Trained& expected) {
  ASSERT_EQ(actual.losses.size(), expected.losses.size());
  for (std::size_t i = 0; i < expected.losses.size(); ++i) {
    EXPECT_NEAR(actual.losses[i], expected.losses[i], 1e-4 * expected.losses[i]) << "epoch " << i;
  }
  EXPECT_NEAR(actual.evaluated.at("loss"), expected.evaluated.at("loss"), 1e-4 * expected.evaluated.at("loss"));
  EXPECT_LT(relative_distance(actual.predictions, expected.predictions), 2e-4);
}

/// "C0 G1": where the layers' first weights are.
std::string places(const models::Model& model) {
  std::string text;
  for (const layers::Layer& layer : model.layers()) {
    if (layer.weights().empty()) continue;
    const LogicalDevice& place = layer.weights().front().stored_value().device();
    text += (text.empty() ? "" : " ") + place.type().substr(0, 1) + std::to_string(place.index());
  }
  return text;
}

class SeveralDevicesWithGpus : public ::testing::Test {
 protected:
  void SetUp() override { config::enable_tensor_float_32_execution(false); }
  void TearDown() override { config::enable_tensor_float_32_execution(true); }
};

TEST_F(SeveralDevicesWithGpus, TwoGpusTrainAsOne) {
  const Trained two = train(first_gpu(), first_gpu(), second_gpu());
  EXPECT_EQ(places(two.model), "G0 G1 G0 G0 G0");
  const Trained one = train(first_gpu(), first_gpu(), first_gpu());
  expect_alike(two, one);
  // The same kernels on the same whole tensors.
  EXPECT_TRUE(same_bits(two.predictions, one.predictions));
}

TEST_F(SeveralDevicesWithGpus, AGpuAndTheCpuTrainAsTheCpu) {
  const Trained expected = train(cpu(), cpu(), cpu());
  const Trained mixed = train(cpu(), first_gpu(), cpu());
  EXPECT_EQ(places(mixed.model), "G0 C0 G0 G0 C0");
  expect_alike(mixed, expected);
  const Trained from_gpu = train(first_gpu(), cpu(), second_gpu());
  EXPECT_EQ(places(from_gpu.model), "C0 G1 C0 C0 G0");
  expect_alike(from_gpu, expected);
}

TEST_F(SeveralDevicesWithGpus, TwiceGivesTheSameBits) {
  EXPECT_TRUE(
      same_bits(train(first_gpu(), second_gpu(), cpu()).weights, train(first_gpu(), second_gpu(), cpu()).weights));
}

TEST_F(SeveralDevicesWithGpus, VariablesAndValuesCrossWithoutMoving) {
  const Tensor x = random_tensor({8, 8}, 1).to(cpu());
  const auto run = [&](LogicalDevice& first, LogicalDevice& second) {
    const Variable a(random_tensor({8, 8}, 2).to(cpu()), {.name = "a"});
    const Variable b(random_tensor({8, 8}, 3).to(cpu()), {.name = "b"});
    graph::Executable executable(graph::trace({{x.spec(), 0}},
                                              [&](const Tensors& in) {
                                                const Tensor once = on(first, [&] { return matmul(in[0], a); });
                                                const Tensor twice =
                                                    on(second, [&] { return matmul(once, b) + a.value(); });
                                                a.assign(on(first, [&] { return tanh(twice); }));
                                                b.assign(on(second, [&] { return once * 0.5F; }));
                                                return Tensors{twice, a.value(), in[0]};
                                              }),
                                 {.plan = {.check = true}});
    Tensors results;
    for (int step = 0; step < 4; ++step) {
      // From the host, and from tensors on a GPU.
      for (const Tensor& result : executable({step < 2 ? x : x.to(second_gpu())})) results.push_back(result.to(cpu()));
    }
    EXPECT_EQ(&a.stored_value().device(), &first);
    EXPECT_EQ(&b.stored_value().device(), &second);
    results.push_back(a.stored_value().to(cpu()));
    results.push_back(b.stored_value().to(cpu()));
    return results;
  };
  const Tensors expected = run(cpu(), cpu());
  for (const auto& [first, second] :
       {std::pair(&first_gpu(), &second_gpu()), std::pair(&first_gpu(), &cpu()), std::pair(&cpu(), &second_gpu())}) {
    const Tensors actual = run(*first, *second);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_LT(relative_distance(actual[i], expected[i]), 1e-5) << i;
  }
}

}  // namespace
}  // namespace rhyton::gpu::several_devices_tests
