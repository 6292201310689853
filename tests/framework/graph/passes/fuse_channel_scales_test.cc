#include <rhyton/framework/graph/passes/fuse_channel_scales.h>

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/passes/fuse_epilogues.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/batch_of.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::graph {
namespace {

const Shape images_shape = {3, 8, 7, 4};

/// Variables of a convolution of 4 channels with 5 filters, and of the line behind it.
struct NormalizedConvolution {
  Variable kernel{test::random_tensor({3, 3, 4, 5}, 1), {.name = "kernel"}};
  Variable bias{test::random_tensor({5}, 2), {.name = "bias"}};
  Variable mean{test::random_tensor({5}, 3), {.name = "mean"}};
  Variable variance{test::random_tensor({5}, 4) * 0.1 + 1.0, {.name = "variance"}};
  Variable offset{test::random_tensor({5}, 5) + 3.0, {.name = "offset"}};
  Variable scale{test::random_tensor({5}, 6) * 2.0, {.name = "scale"}};

  Tensor operator()(const Tensor& x, bool has_bias) const {
    const Tensor y = conv2d(x, kernel.value(), {.padding = Padding::same});
    return batch_normalization(has_bias ? y + bias.value() : y, mean.value(), variance.value(), -1, offset.value(),
                               scale.value(), 1e-3);
  }
};

Graph traced(const std::function<Tensor(const Tensor&)>& function) {
  return trace({batch_of(images_shape)},
               [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{function(in[0])}; });
}

/// Expects the results of the graph with all passes to be those without fusion.
void expect_results_stay(const Graph& graph) {
  const Tensor x = test::random_tensor(images_shape, 7);
  const auto results = [&](const PassOptions& passes) {
    return Executable(graph, {.passes = passes, .plan = {.check = true}})({x});
  };
  const std::vector<Tensor> fused = results({});
  const std::vector<Tensor> expected = results(PassOptions::without_fusion());
  ASSERT_EQ(fused.size(), expected.size());
  for (std::size_t i = 0; i < fused.size(); ++i) test::expect_close_to_largest(fused[i], expected[i], 2e-6);
}

TEST(FuseChannelScales, ANormalizationWithKnownMomentsJoinsTheConvolution) {
  const NormalizedConvolution layer;
  struct Activation {
    std::string text;
    std::function<Tensor(const Tensor&)> function;
  };
  const std::vector<Activation> activations = {
      {"activation=none", [](const Tensor& y) { return y; }},
      {"activation=relu,", [](const Tensor& y) { return relu(y); }},
      {"activation=relu6", [](const Tensor& y) { return clip_by_value(y, 0.0, 6.0); }},
  };
  for (const Activation& activation : activations) {
    for (const bool has_bias : {false, true}) {
      SCOPED_TRACE(activation.text + (has_bias ? " with a bias" : ""));
      const Graph graph = traced([&](const Tensor& x) { return activation.function(layer(x, has_bias)); });
      const Graph fused = fuse_channel_scales(fuse_epilogues(graph));
      ASSERT_EQ(count(fused, "ScaledConv2D"), 1);
      EXPECT_EQ(count(fused, "Conv2D") + count(fused, "FusedConv2D") + count(fused, "Relu"), 0);
      EXPECT_NE(fused.nodes().back().op->attributes().find(activation.text), std::string::npos);
      expect_results_stay(graph);
    }
  }
}

TEST(FuseChannelScales, AReshapeOfOtherAxesFollowsTheFusedOp) {
  const NormalizedConvolution layer;
  const Graph graph = traced([&](const Tensor& x) {
    const Tensor rows = conv2d(x, layer.kernel.value(), {.padding = Padding::same}).reshape({3, 56, 5});
    return relu(rows * layer.scale.value() + layer.offset.value());
  });
  const Graph fused = fuse_channel_scales(graph);
  EXPECT_EQ(names_of(fused), (std::vector<std::string>{"ScaledConv2D", "Reshape"}));
  EXPECT_EQ(fused.value(fused.outputs[0]).spec.shape, (Shape{3, 56, 5}));
  expect_results_stay(graph);
}

TEST(FuseChannelScales, OtherLimitsStay) {
  const NormalizedConvolution layer;
  const Graph graph = traced([&](const Tensor& x) { return clip_by_value(layer(x, false), 0.0, 5.0); });
  const Graph fused = fuse_channel_scales(graph);
  EXPECT_EQ(count(fused, "ScaledConv2D"), 1);
  EXPECT_EQ(count(fused, "ClipByValue"), 1);
  expect_results_stay(graph);
}

TEST(FuseChannelScales, WhatSomebodyElseReadsIsLeft) {
  const NormalizedConvolution layer;
  const Graph step = trace({batch_of(images_shape)}, [&](const std::vector<Tensor>& in) {
    GradientTape tape;
    const Tensor loss = sum(square(layer(in[0], false)));
    return tape.gradient(loss, std::vector<Variable>{layer.kernel, layer.scale});
  });
  EXPECT_EQ(count(fuse_channel_scales(step), "ScaledConv2D"), 0) << "the gradient of the scale reads the convolution";
}

TEST(FuseChannelScales, AStepWithAFrozenNormalizationIsFused) {
  const NormalizedConvolution layer;
  const Graph step = trace({batch_of(images_shape)}, [&](const std::vector<Tensor>& in) {
    GradientTape tape;
    const Tensor loss = sum(square(relu(layer(in[0], true))));
    return tape.gradient(loss, std::vector<Variable>{layer.kernel});
  });
  EXPECT_EQ(count(fuse_channel_scales(fuse_epilogues(step)), "ScaledConv2D"), 1);
  expect_results_stay(step);
}

TEST(FuseChannelScales, FactorsOfEachImageAreNotThoseOfChannels) {
  const NormalizedConvolution layer;
  const Graph graph = traced([&](const Tensor& x) {
    const Tensor y = conv2d(x, layer.kernel.value(), {.padding = Padding::same});
    return y * mean(y, {1, 2}, true) + layer.offset.value();
  });
  EXPECT_EQ(names_of(fuse_channel_scales(graph)), names_of(graph));
}

}  // namespace
}  // namespace rhyton::graph
