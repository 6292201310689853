#include <rhyton/framework/graph/passes/pooled_gradients.h>

#include <gtest/gtest.h>

#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/passes/fuse_epilogues.h>
#include <rhyton/framework/graph/passes/fuse_max_pooling.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

Graph rewritten(const ConvolutionStep& step) {
  return remove_dead_nodes(
      use_pooled_gradients(remove_dead_nodes(fuse_max_pooling(fuse_epilogues(step.trace()))), cpu_kernels()));
}

PassOptions passes() { return PassOptions::only({"fuse_epilogues", "fuse_max_pooling", "pooled_gradients"}); }

TEST(PooledGradients, NothingIsUnpooled) {
  const ConvolutionStep step = {.after = [](const Tensor& y) { return max_pool2d(relu(y)); }};
  const Graph graph = rewritten(step);
  EXPECT_EQ(count(graph, "Conv2DMaxPoolKernelGradient"), 1);
  EXPECT_EQ(count(graph, "Conv2DMaxPoolInputGradient"), 1);
  // The bias's gradient is an output of the kernel's node.
  EXPECT_EQ(count(graph, "MaxPool2DGradient") + count(graph, "Conv2DKernelGradient"), 0);
  expect_same_results(step, passes(), 2);
}

TEST(PooledGradients, StridesPaddingDilationAndGroups) {
  for (const Conv2DAttributes& window : std::vector<Conv2DAttributes>{
           {.strides = {2, 1}}, {.padding = Padding::same}, {.dilation_rate = {2, 2}}, {.groups = 4}}) {
    const ConvolutionStep step = {.window = window, .after = [](const Tensor& y) { return max_pool2d(relu(y)); }};
    SCOPED_TRACE(window.to_string());
    EXPECT_EQ(count(rewritten(step), "Conv2DMaxPoolKernelGradient"), 1);
    expect_same_results(step, passes(), 2);
  }
}

TEST(PooledGradients, OddChannels) {
  const ConvolutionStep step = {
      .channels = 3, .filters = 7, .after = [](const Tensor& y) { return max_pool2d(relu(y)); }};
  expect_same_results(step, passes(), 2);
}

TEST(PooledGradients, WindowsThatOverlapMuchStayDense) {
  const ConvolutionStep step = {.after = [](const Tensor& y) {
    return max_pool2d(relu(y), {.pool_size = {3, 3}, .strides = {1, 1}});
  }};
  EXPECT_EQ(count(rewritten(step), "Conv2DMaxPoolKernelGradient"), 0);
  EXPECT_EQ(count(rewritten(step), "Conv2DKernelGradient"), 1);
  expect_same_results(step, passes(), 2);
}

TEST(PooledGradients, AnAveragePoolingStaysDense) {
  const ConvolutionStep step = {.after = [](const Tensor& y) { return average_pool2d(relu(y)); }};
  EXPECT_EQ(count(rewritten(step), "AveragePool2DGradient"), 1);
  EXPECT_EQ(count(rewritten(step), "Conv2DMaxPoolKernelGradient"), 0);
  expect_same_results(step, passes(), 2);
}

}  // namespace
}  // namespace rhyton::graph
