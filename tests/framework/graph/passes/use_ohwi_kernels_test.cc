#include <rhyton/framework/graph/passes/use_ohwi_kernels.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/ohwi_convolution.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

using Names = std::vector<std::string>;

void run_nothing(const KernelArguments&) {}

/// Accepts only convolutions with more than three channels.
bool accepts_many_channels(const Op&, Kernel::Specs inputs, Kernel::Specs outputs) {
  for (const Kernel::Specs specs : {inputs, outputs}) {
    for (const TensorSpec& spec : specs) {
      if (spec.shape.at(-1) <= 3) return false;
    }
  }
  return true;
}

void add_kernels(KernelTable& kernels) {
  for (const char* const name : {"Conv2D", "Conv2DInputGradient", "Conv2DKernelGradient"}) {
    kernels.add(std::string("Ohwi") + name, float32, {.run = &run_nothing, .accepts = &accepts_many_channels});
  }
}

/// A convolution, and the gradients of a loss of its result with respect to images and kernel.
Graph step(std::int64_t channels) {
  return trace({{{{2, 6, 6, channels}, float32}, 0}, {{{3, 3, channels, 8}, float32}, -1}},
               [](const std::vector<Tensor>& in) {
                 GradientTape tape;
                 tape.watch(in[0]);
                 tape.watch(in[1]);
                 return tape.gradient(sum(conv2d(in[0], in[1])), std::vector<Tensor>{in[0], in[1]});
               });
}

TEST(UseOhwiKernels, AKernelIsTurnedOnceAndItsGradientBack) {
  KernelTable kernels("GPU");
  add_kernels(kernels);
  const Graph graph = use_ohwi_kernels(step(4), kernels);
  EXPECT_EQ(count(graph, "OhwiConv2D"), 1);
  EXPECT_EQ(count(graph, "OhwiConv2DInputGradient"), 1);
  EXPECT_EQ(count(graph, "OhwiConv2DKernelGradient"), 1);
  EXPECT_EQ(count(graph, "Transpose"), 2);
  EXPECT_EQ(graph.value(graph.outputs[0]).spec.shape, Shape({2, 6, 6, 4}));
  EXPECT_EQ(graph.value(graph.outputs[1]).spec.shape, Shape({3, 3, 4, 8}));
}

TEST(UseOhwiKernels, WhatKernelsDoNotAcceptStays) {
  KernelTable kernels("GPU");
  EXPECT_EQ(names_of(use_ohwi_kernels(step(4), kernels)), names_of(step(4)));
  add_kernels(kernels);
  EXPECT_EQ(names_of(use_ohwi_kernels(step(3), kernels)), names_of(step(3)));
}

}  // namespace
}  // namespace rhyton::graph
