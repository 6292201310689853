#include <rhyton/framework/graph/passes/expand_batch_normalization.h>

#include <gtest/gtest.h>

#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

ConvolutionStep normalized_step() {
  return {.after = [](const Tensor& y) {
    const Shape channels = {y.shape().at(-1)};
    return relu(normalize_batch(y, Tensor::full(channels, 1.5), Tensor::full(channels, 0.25), 1e-3).y);
  }};
}

TEST(ExpandBatchNormalization, ItBecomesAProductAndASum) {
  const Graph graph = expand_batch_normalization(normalized_step().trace());
  EXPECT_EQ(count(graph, "BatchNormalization"), 0);
  EXPECT_EQ(count(graph, "Rsqrt"), 2);  // forward and backward
}

TEST(ExpandBatchNormalization, HalvesAreComputedInFloat32) {
  const TensorSpec images = {{4, 3, 3, 8}, bfloat16};
  const Graph graph = expand_batch_normalization(trace({{images, 0}}, [](const std::vector<Tensor>& in) {
    const Tensor row = Tensor::full({8}, 1.5);
    return std::vector<Tensor>{normalize_batch(in[0], row, row, 1e-3).y};
  }));
  EXPECT_EQ(count(graph, "BatchNormalization"), 0);
  EXPECT_EQ(graph.value(graph.outputs[0]).spec, images);
  for (const Node& node : graph.nodes()) {
    if (node.op->name() == "Cast") continue;
    EXPECT_EQ(graph.value(node.outputs[0]).spec.dtype, float32) << node.op->name();
  }
}

TEST(ExpandBatchNormalization, ResultsStay) {
  expect_close_results_but_for_bias(normalized_step(), PassOptions::only({"expand_batch_normalization"}));
}

}  // namespace
}  // namespace rhyton::graph
