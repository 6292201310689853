#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/ops/attention.h>
#include <rhyton/tests/framework/graph/planning.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton::graph {
namespace {

constexpr std::int64_t size = 32;

/// Query, key, value and the gradient of the result, of one head.
Tensors attention_inputs(std::int64_t positions) {
  Tensors inputs;
  for (int i = 0; i < 4; ++i) inputs.push_back(test::random_tensor({1, positions, 1, size}, i));
  return inputs;
}

std::size_t bytes_of_scores(std::int64_t positions) {
  return static_cast<std::size_t>(positions * positions) * sizeof(float);
}

Function attention_with_gradients(bool is_causal) {
  return [is_causal](const Tensors& in) {
    GradientTape tape;
    const Tensors sources(in.begin(), in.end() - 1);
    for (const Tensor& source : sources) tape.watch(source);
    Tensors results = {dot_product_attention(in[0], in[1], in[2], {.is_causal = is_causal})};
    tape.stop_recording();
    for (const Tensor& gradient : tape.gradient(results[0], sources, in[3])) results.push_back(gradient);
    return results;
  };
}

/// The memory of the compiled function: arenas with the kernels' workspaces, and outputs.
std::size_t compiled_bytes(std::int64_t positions, bool is_causal) {
  const Tensors inputs = attention_inputs(positions);
  Executable executable(trace(batches_of(inputs), attention_with_gradients(is_causal)));
  executable(inputs);
  return executable.memory_bytes();
}

/// What eager execution allocates at most besides the inputs.
std::size_t eager_bytes(std::int64_t positions, bool is_causal) {
  const Tensors inputs = attention_inputs(positions);
  config::reset_memory_stats("CPU:0");
  const std::size_t before = config::get_memory_info("CPU:0").current;
  attention_with_gradients(is_causal)(inputs);
  return config::get_memory_info("CPU:0").peak - before;
}

TEST(AttentionMemory, OfForwardAndBackwardIsLinearInTheLength) {
  for (const int threads : {1, 2}) {
    const test::ThreadCount count(threads);
    for (const bool is_causal : {false, true}) {
      SCOPED_TRACE(::testing::Message() << threads << " thread(s), causal: " << is_causal);
      for (const auto bytes : {compiled_bytes, eager_bytes}) {
        const std::size_t of_1024 = bytes(1024, is_causal);
        const std::size_t of_2048 = bytes(2048, is_causal);
        EXPECT_LE(of_2048, 2 * of_1024);
        // The scores are 64 times as large as the query.
        EXPECT_LT(of_2048, bytes_of_scores(2048) / 2);
      }
    }
  }
}

/// What is stored is found.
TEST(AttentionMemory, OfTheComposedFormHasTheScores) {
  const Tensors inputs = attention_inputs(1024);
  Executable executable(trace(batches_of(inputs), [](const Tensors& in) {
    return Tensors{composed_attention({.query = in[0], .key = in[1], .value = in[2]}, {}).output, in[3]};
  }));
  executable(inputs);
  EXPECT_GE(executable.memory_bytes(), bytes_of_scores(1024));
}

}  // namespace
}  // namespace rhyton::graph
