#include <rhyton/framework/graph/passes/fuse_max_pooling.h>

#include <gtest/gtest.h>

#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/passes/fuse_epilogues.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

Graph fused(const ConvolutionStep& step) { return remove_dead_nodes(fuse_max_pooling(fuse_epilogues(step.trace()))); }

PassOptions only_max_pooling() { return PassOptions::only({"fuse_epilogues", "fuse_max_pooling"}); }

TEST(FuseMaxPooling, ConvolutionBiasReluAndPoolingBecomeOneNode) {
  const ConvolutionStep step = {.after = [](const Tensor& y) { return max_pool2d(relu(y)); }};
  const Graph graph = fused(step);
  EXPECT_EQ(count(graph, "FusedConv2DMaxPool"), 1);
  EXPECT_EQ(count(graph, "FusedConv2D") + count(graph, "MaxPool2D"), 0);
  // The index already contains the mask of ReLU.
  EXPECT_EQ(count(graph, "ReluGrad"), 0);
  expect_same_results(step, only_max_pooling(), 5);
}

TEST(FuseMaxPooling, TheIndexIsThereForDerivativesOnly) {
  const ConvolutionStep step = {.after = [](const Tensor& y) { return max_pool2d(relu(y)); }};
  const auto outputs_of_fused = [](const Graph& traced) {
    const Graph graph = remove_dead_nodes(fuse_max_pooling(fuse_epilogues(remove_dead_nodes(traced))));
    std::size_t outputs = 0;
    for (const Node& node : graph.nodes()) {
      if (node.op->name() == "FusedConv2DMaxPool") outputs = node.outputs.size();
    }
    return outputs;
  };
  Graph graph = step.trace();
  EXPECT_EQ(outputs_of_fused(graph), 2U);
  graph.outputs = {graph.outputs[1]};  // the result alone
  EXPECT_EQ(outputs_of_fused(graph), 1U);
}

TEST(FuseMaxPooling, WithoutActivationToo) {
  const ConvolutionStep step = {.after = [](const Tensor& y) { return max_pool2d(y); }};
  EXPECT_EQ(count(fused(step), "FusedConv2DMaxPool"), 1);
  expect_same_results(step, only_max_pooling(), 5);
}

TEST(FuseMaxPooling, OtherWindowsToo) {
  for (const Pool2DAttributes& pool : std::vector<Pool2DAttributes>{{.pool_size = {3, 3}, .strides = {2, 2}},
                                                                    {.padding = Padding::same},
                                                                    {.pool_size = {3, 2}, .strides = {3, 2}}}) {
    const ConvolutionStep step = {.after = [pool](const Tensor& y) { return max_pool2d(relu(y), pool); }};
    EXPECT_EQ(count(fused(step), "FusedConv2DMaxPool"), 1) << pool.to_string();
    expect_same_results(step, only_max_pooling(), 5);
  }
}

TEST(FuseMaxPooling, WhatElseReadsTheConvolutionKeepsItWhole) {
  const ConvolutionStep step = {.after = [](const Tensor& y) {
    const Tensor activated = relu(y);
    return max_pool2d(activated) + mean(activated, {1, 2}, true);
  }};
  EXPECT_EQ(count(fused(step), "FusedConv2DMaxPool"), 0);
  expect_same_results(step, only_max_pooling(), 5);
}

TEST(FuseMaxPooling, WindowsTooLargeForTheIndexAreLeft) {
  const ConvolutionStep step = {.height = 20, .width = 20, .after = [](const Tensor& y) {
                                  return max_pool2d(relu(y), {.pool_size = {16, 16}, .strides = {16, 16}});
                                }};
  EXPECT_EQ(count(fused(step), "FusedConv2DMaxPool"), 0);
}

}  // namespace
}  // namespace rhyton::graph
