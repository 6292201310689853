// Branches and loops in the layers of a model: training, and prediction by several threads.

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/tests/framework/autodiff/control_flow_model.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton {
namespace {

using test::random_tensor;

const Tensor& samples() {
  static const Tensor x = random_tensor({30, 4, 5}, 1);
  return x;
}

const Tensor& targets() {
  static const Tensor y = random_tensor({30, 1}, 2);
  return y;
}

std::vector<Tensor> trained_weights(const models::Model& model) {
  model.fit(samples(), targets(), {.batch_size = 8, .epochs = 2, .verbose = 0, .shuffle = false});
  return model.get_weights();
}

void expect_close(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) test::expect_close_to_largest(actual[i], expected[i], 1e-4);
}

TEST(ControlFlowInModels, IsTrainedAsInEagerMode) {
  const std::vector<Tensor> compiled = trained_weights(test::make_control_flow_model());
  expect_close(compiled, trained_weights(test::make_control_flow_model(/*run_eagerly=*/true)));
  // The kernel and recurrent kernel, then kernel, steps, dropped: 8 steps, half of them with dropout.
  EXPECT_EQ(compiled[3].item(), 8.0);
  EXPECT_EQ(compiled[4].item(), 4.0);
}

TEST(ControlFlowInModels, PredictsFromSeveralThreads) {
  const models::Model model = test::make_control_flow_model();
  const Tensor expected = model.predict(samples(), {.batch_size = 8, .verbose = 0});
  std::vector<std::thread> threads;
  std::vector<::testing::AssertionResult> results(4, ::testing::AssertionSuccess());
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int run = 0; run < 5 && results[t]; ++run) {
        results[t] = test::same_bits(model.predict(samples(), {.batch_size = 8, .verbose = 0}), expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const ::testing::AssertionResult& result : results) EXPECT_TRUE(result);
}

}  // namespace
}  // namespace rhyton
