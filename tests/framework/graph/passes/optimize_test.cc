#include <rhyton/framework/graph/passes/optimize.h>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

TEST(Optimize, AStepOfTheCpuHasNothingThatMustSeeTheWholeBatchAtOnce) {
  const ConvolutionStep step{.after = [](const Tensor& y) {
    const Tensor row = Tensor::full({y.shape().at(-1)}, 1.5);
    return relu(batch_normalization(y, row, row, 1e-3).y);
  }};
  const Graph traced = step.trace();
  EXPECT_EQ(count(traced, "ChannelMoments"), 1);
  EXPECT_EQ(count(traced, "BatchNormalization"), 1);
  EXPECT_EQ(count(traced, "BatchNormalizationInputGradient"), 1);
  const Graph optimized = optimize(traced);
  EXPECT_EQ(count(optimized, "ChannelMoments"), 0);
  EXPECT_EQ(count(optimized, "SquaredDeviation"), 1);
  EXPECT_EQ(count(optimized, "BatchNormalization"), 0);
  EXPECT_EQ(count(optimized, "BatchNormalizationInputGradient"), 0);
}

}  // namespace
}  // namespace rhyton::graph
