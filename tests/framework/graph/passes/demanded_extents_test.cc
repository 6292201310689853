#include <rhyton/framework/graph/passes/demanded_extents.h>

#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

Graph shrunk(const ConvolutionStep& step) { return remove_dead_nodes(shrink_to_demanded_extents(step.trace())); }

PassOptions only_demanded_extents() { return PassOptions::only({"demanded_extents"}); }

/// The shape of the first output of the only node of that name.
Shape shape_of(const Graph& graph, std::string_view name) {
  for (const Node& node : graph.nodes()) {
    if (node.op->name() == name) return graph.value(node.outputs[0]).spec.shape;
  }
  return {};
}

TEST(DemandedExtents, NothingIsComputedThatPoolingDrops) {
  // 9 x 9, convolved 7 x 7, of which windows of 2 x 2 cover 6 x 6.
  const ConvolutionStep step = {.after = [](const Tensor& y) { return max_pool2d(relu(y)); }};
  const Graph graph = shrunk(step);
  EXPECT_EQ(shape_of(graph, "Conv2D"), (Shape{6, 6, 6, 16}));
  EXPECT_EQ(shape_of(graph, "MaxPool2DGradient"), (Shape{6, 6, 6, 16}));
  EXPECT_EQ(shape_of(graph, "ReluGrad"), (Shape{6, 6, 6, 16}));
  // The gradient of the images is an output of the graph: it is whole.
  EXPECT_EQ(graph.value(graph.outputs[2]).spec.shape, (Shape{6, 9, 9, 16}));
  expect_same_results(step, only_demanded_extents(), 3);
}

TEST(DemandedExtents, AveragePoolingToo) {
  const ConvolutionStep step = {.after = [](const Tensor& y) { return average_pool2d(relu(y)); }};
  EXPECT_EQ(shape_of(shrunk(step), "Conv2D"), (Shape{6, 6, 6, 16}));
  expect_same_results(step, only_demanded_extents(), 3);
}

TEST(DemandedExtents, DemandRunsThroughSeveralLayers) {
  const Tensor kernel = Tensor::full({3, 3, 16, 4}, 0.01);
  // 25, convolved 23, pooled 11, convolved 9, pooled 4: 8 of the 9 are read, hence 10 of the 11 and 20 of the 23.
  const ConvolutionStep step = {.height = 25, .width = 25, .after = [&](const Tensor& y) {
                                  return max_pool2d(relu(conv2d(max_pool2d(relu(y)), kernel)));
                                }};
  EXPECT_EQ(shape_of(shrunk(step), "Conv2D"), (Shape{6, 20, 20, 16}));
  expect_same_results(step, only_demanded_extents(), 3);
}

TEST(DemandedExtents, CroppingDemandsWhatItKeeps) {
  const ConvolutionStep step = {
      .after = [](const Tensor& y) { return slice_axis(slice_axis(relu(y), 1, 1, 4), 2, 0, 5); }};
  const Graph graph = shrunk(step);
  EXPECT_EQ(shape_of(graph, "Conv2D"), (Shape{6, 4, 5, 16}));
  EXPECT_EQ(shape_of(graph, "ReluGrad"), (Shape{6, 4, 5, 16}));
  expect_same_results(step, only_demanded_extents(), 3);
}

TEST(DemandedExtents, SlicesAndBordersOfOtherAxesStayAsTheyAre) {
  for (const auto& after : std::vector<std::function<Tensor(const Tensor&)>>{
           [](const Tensor& y) { return slice_axis(relu(y), 3, 2, 7); },
           [](const Tensor& y) { return slice_axis(slice_axis(relu(y), 3, 0, 9, 2), 1, 0, 3); },
           [](const Tensor& y) {
             return pad(relu(y), {{0, 0}, {1, 0}, {0, 2}, {3, 1}});
           }}) {
    expect_same_results({.after = after}, only_demanded_extents(), 3);
  }
}

TEST(DemandedExtents, WhatIsReadElsewhereStaysWhole) {
  const ConvolutionStep step = {.after = [](const Tensor& y) {
    const Tensor activated = relu(y);
    return max_pool2d(activated) + mean(activated, {1, 2}, true);
  }};
  EXPECT_EQ(shape_of(shrunk(step), "Conv2D"), (Shape{6, 7, 7, 16}));
  expect_same_results(step, only_demanded_extents(), 3);
}

TEST(DemandedExtents, PaddedConvolutionsStayWhole) {
  const ConvolutionStep step = {.window = {.padding = Padding::same},
                                .after = [](const Tensor& y) { return max_pool2d(relu(y)); }};
  EXPECT_EQ(shape_of(shrunk(step), "Conv2D"), (Shape{6, 9, 9, 16}));
  expect_same_results(step, only_demanded_extents(), 3);
}

TEST(DemandedExtents, StridesDilationAndOverlappingWindows) {
  for (const Conv2DAttributes& window :
       std::vector<Conv2DAttributes>{{}, {.strides = {2, 1}}, {.dilation_rate = {2, 3}}, {.groups = 2}}) {
    for (const Pool2DAttributes& pool : std::vector<Pool2DAttributes>{
             {}, {.pool_size = {3, 3}, .strides = {2, 2}}, {.pool_size = {2, 2}, .strides = {3, 5}}}) {
      SCOPED_TRACE(window.to_string() + " " + pool.to_string());
      const ConvolutionStep step = {.height = 18, .width = 17, .window = window, .after = [&](const Tensor& y) {
                                      return max_pool2d(relu(y), pool);
                                    }};
      expect_same_results(step, only_demanded_extents(), 3);
      expect_same_results(step, PassOptions(), 0);
    }
  }
}

}  // namespace
}  // namespace rhyton::graph
