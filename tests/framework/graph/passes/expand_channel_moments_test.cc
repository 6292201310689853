#include <rhyton/framework/graph/passes/expand_channel_moments.h>

#include <gtest/gtest.h>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

Tensor with_batch_moments(const Tensor& y) {
  const Tensor row = Tensor::full({y.shape().at(-1)}, 1.5);
  return normalize_batch(y, row, row, 1e-3).y;
}

TEST(ExpandChannelMoments, SlicesOfTheBatchAddUpToThem) {
  const Graph graph = expand_channel_moments(ConvolutionStep{.after = &with_batch_moments}.trace());
  EXPECT_EQ(count(graph, "ChannelMoments"), 0);
  const BatchAnalysis batch = analyze_batch(graph);
  for (const Node& node : graph.nodes()) {
    if (node.op->name() != "SquaredDeviation") continue;
    EXPECT_TRUE(batch.sums(node.outputs[0]));
  }
  EXPECT_EQ(count(graph, "SquaredDeviation"), 1);
}

TEST(ExpandChannelMoments, ResultsStay) {
  const ConvolutionStep step{.after = &with_batch_moments};
  expect_close_results_but_for_bias(step, PassOptions::only({"expand_channel_moments"}));
}

}  // namespace
}  // namespace rhyton::graph
