#include <rhyton/framework/graph/cost.h>

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/planning.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::graph {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

/// [64, 100] times [100, 10], and its sum over the batch.
Executable product_and_sum(const PlanOptions& options) {
  const Variable weights(test::random_tensor({100, 10}, 1), {.name = "weights"});
  const Graph graph = trace({{{{64, 100}, float32}, 0}}, [&](const std::vector<Tensor>& in) {
    const Tensor y = matmul(in[0], weights);
    return std::vector<Tensor>{y, sum(y, {0})};
  });
  return Executable(graph, {.plan = options});
}

TEST(Cost, OfASlicedCallIsThatOfAllItsChunks) {
  // 4 slices of 16 samples, 5 at a time: 4 chunks in each.
  const Executable executable = product_and_sum({.slices = 4, .samples_per_chunk = 5});
  const Plan& plan = executable.plan();
  ASSERT_EQ(plan.slices, 4);
  ASSERT_EQ(plan.chunk, 5);
  EXPECT_EQ(chunks_of(plan), 16);
  const Cost cost = cost_of(plan, plan.phases.at(0), call_of(plan, "MatMul"));
  EXPECT_EQ(cost.flops, 2 * 64 * 100 * 10);
  EXPECT_EQ(cost.calls, 16);
  EXPECT_EQ(cost.shared_out_bytes, 4 * (64 * 100 + 64 * 10));
  EXPECT_EQ(cost.whole_bytes, 4 * 100 * 10);
  EXPECT_EQ(cost.bytes(), cost.shared_out_bytes + 16 * cost.whole_bytes);
}

TEST(Cost, OfAReductionIsThatOfAddingItsSlices) {
  const Executable executable = product_and_sum({.slices = 4});
  const Plan& plan = executable.plan();
  const PlannedPhase& phase = plan.phases.at(0);
  ASSERT_EQ(phase.reductions.size(), 1);
  const Cost cost = cost_of(plan, phase.reductions[0]);
  EXPECT_EQ(cost.flops, 3 * 10);
  EXPECT_EQ(cost.bytes(), 4 * 10 * 5);
  const PlannedCall* call = summed_call(phase, phase.reductions[0]);
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->op->name(), "Sum");
}

TEST(Cost, StandsInThePlan) {
  const Executable executable = product_and_sum({.slices = 4, .samples_per_chunk = 16});
  const std::string text = executable.plan().to_string();
  // 4 * 64 * 110 bytes of samples, and 4 times the weights; the phase adds the cost of adding the 10 sums.
  EXPECT_THAT(text, HasSubstr("-> [4+0](64, 10); 128 kFLOP, 44.2 kB\n")) << text;
  EXPECT_THAT(text, HasSubstr("summed over slices; 640 FLOP, 2.72 kB\n"));
  EXPECT_THAT(text, HasSubstr("phase 0: sliced, one thread; 129 kFLOP, 57.5 kB\n"));
  EXPECT_THAT(text, EndsWith("\nstep: 129 kFLOP, 57.5 kB\n"));
}

}  // namespace
}  // namespace rhyton::graph
