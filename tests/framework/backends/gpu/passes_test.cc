// The result of the passes on a training step for the kernels of GPUs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::gpu {
namespace {

std::int64_t count(const graph::Graph& graph, std::string_view name) {
  return std::ranges::count_if(graph.nodes(), [&](const graph::Node& node) { return node.op->name() == name; });
}

/// A convolution, its normalization and ReLU in bfloat16, its mean, and the gradients of images and kernel.
graph::Graph step() {
  const graph::FunctionInput images{{{4, 8, 8, 16}, bfloat16}, 0};
  const graph::FunctionInput kernel{{{3, 3, 16, 32}, bfloat16}, -1};
  return graph::trace({images, kernel}, [](const std::vector<Tensor>& in) {
    GradientTape tape;
    tape.watch(in[0]);
    tape.watch(in[1]);
    const Tensor row = Tensor::full({32}, 1.5);
    const Tensor y = relu(normalize_batch(conv2d(in[0], in[1]), row, row, 1e-3).y);
    const Tensor loss = mean(y);
    const std::vector<Tensor> gradients = tape.gradient(loss, std::vector<Tensor>{in[0], in[1]});
    return std::vector<Tensor>{loss, gradients[0], gradients[1]};
  });
}

TEST(GpuPasses, KernelsOfConvolutionsAreOhwi) {
  first_gpu();  // loads the kernels
  const graph::Graph optimized = optimize_for(step(), gpu_kernels());
  EXPECT_EQ(count(optimized, "OhwiConv2D"), 1);
  EXPECT_EQ(count(optimized, "OhwiConv2DInputGradient"), 1);
  EXPECT_EQ(count(optimized, "OhwiConv2DKernelGradient"), 1);
  EXPECT_EQ(count(optimized, "Transpose"), 2);
}

TEST(GpuPasses, ImagesOfAHalfTypeAreNeverWrittenInFloat32) {
  first_gpu();
  const graph::Graph optimized = optimize_for(step(), gpu_kernels());
  EXPECT_EQ(count(optimized, "ChannelMoments"), 1);
  EXPECT_EQ(count(optimized, "FusedBatchNormalization"), 1);
  EXPECT_EQ(count(optimized, "FusedBatchNormalizationInputGradient"), 1);
  for (const graph::Node& node : optimized.nodes()) {
    for (const TensorSpec& output : optimized.specs_of(node.outputs)) {
      if (output.shape.rank() != 4) continue;
      EXPECT_NE(output.dtype, float32) << node.op->name();
    }
  }
}

TEST(GpuPasses, NormalizationTakesOverReluUnlessThePassIsSwitchedOff) {
  first_gpu();
  const graph::Graph fused = optimize_for(step(), gpu_kernels());
  for (const char* const name : {"BatchNormalization", "BatchNormalizationSums", "BatchNormalizationInputGradient"}) {
    EXPECT_EQ(count(fused, name), 0) << name;
    EXPECT_EQ(count(fused, "Fused" + std::string(name)), 1) << name;
  }
  EXPECT_EQ(count(fused, "Relu"), 0);
  EXPECT_EQ(count(fused, "ReluGrad"), 0);

  const test::EnvironmentVariable disabled("RHYTON_DISABLE_PASSES", "fuse_batch_normalization,fuse_elementwise");
  const graph::Graph single = optimize_for(step(), gpu_kernels());
  EXPECT_EQ(count(single, "BatchNormalization"), 1);
  EXPECT_EQ(count(single, "Relu"), 1);
  EXPECT_EQ(count(single, "ReluGrad"), 1);
  EXPECT_EQ(count(single, "FusedBatchNormalization"), 0);
}

}  // namespace
}  // namespace rhyton::gpu
