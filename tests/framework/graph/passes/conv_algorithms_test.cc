#include <rhyton/framework/graph/passes/conv_algorithms.h>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::graph {
namespace {

ConvolutionStep step(std::int64_t size, std::int64_t channels, std::int64_t filters,
                     const Conv2DAttributes& window = {}) {
  return {.height = size,
          .width = size,
          .channels = channels,
          .filters = filters,
          .window = window,
          .after = [](const Tensor& y) { return relu(y); }};
}

/// The same for a sequence of `steps` and a kernel of one row.
ConvolutionStep row_step(std::int64_t steps, std::int64_t channels, std::int64_t filters, std::int64_t taps) {
  ConvolutionStep result = step(steps, channels, filters, {.padding = Padding::same});
  result.height = 1;
  result.kernel_height = 1;
  result.kernel_width = taps;
  return result;
}

/// The number of ops of that name that use that algorithm.
int count_with(const Graph& graph, std::string_view name, std::string_view algorithm) {
  int found = 0;
  for (const Node& node : graph.nodes()) {
    const std::string text = "algorithm=" + std::string(algorithm);
    const std::string attributes = node.op->attributes();
    const std::string own = attributes.substr(0, attributes.find(", pool: "));
    if (node.op->name() == name && own.ends_with(text)) ++found;
  }
  return found;
}

TEST(ConvAlgorithms, ManyChannelsAreFiltered) {
  const Graph graph = optimize(step(16, 32, 32, {.padding = Padding::same}).trace());
  EXPECT_EQ(count_with(graph, "FusedConv2D", "winograd"), 1);
  EXPECT_EQ(count_with(graph, "Conv2DInputGradient", "winograd"), 1);
  EXPECT_EQ(count_with(graph, "Conv2DKernelGradient", "winograd"), 1);
}

TEST(ConvAlgorithms, FewChannelsStridesDilationAndGroupsAreDirect) {
  for (const ConvolutionStep& direct :
       {step(16, 8, 32), step(16, 32, 8), step(16, 32, 32, {.strides = {2, 2}}), step(16, 32, 32, {.strides = {1, 2}}),
        step(16, 32, 32, {.dilation_rate = {2, 2}}), step(16, 64, 64, {.groups = 2})}) {
    const Graph graph = optimize(direct.trace());
    EXPECT_EQ(count_with(graph, "FusedConv2D", "winograd"), 0) << graph.to_string();
    EXPECT_EQ(count_with(graph, "Conv2DInputGradient", "winograd"), 0);
  }
}

TEST(ConvAlgorithms, KernelsOfOneRowAreFiltered) {
  for (const std::int64_t taps : {3, 5}) {
    const Graph graph = optimize(row_step(64, 32, 48, taps).trace());
    EXPECT_EQ(count_with(graph, "FusedConv2D", "winograd"), 1);
    EXPECT_EQ(count_with(graph, "Conv2DInputGradient", "winograd"), 1);
    EXPECT_EQ(count_with(graph, "Conv2DKernelGradient", "winograd"), 1);
  }
  for (const ConvolutionStep& direct : {row_step(64, 16, 16, 5), row_step(64, 32, 48, 1), row_step(64, 32, 48, 7)}) {
    const Graph graph = optimize(direct.trace());
    EXPECT_EQ(count_with(graph, "FusedConv2D", "winograd"), 0) << graph.to_string();
    EXPECT_EQ(count_with(graph, "Conv2DKernelGradient", "winograd"), 0);
  }
}

TEST(ConvAlgorithms, SumsOfALargeKernelDoNotPayForSmallImages) {
  // 49 pixels save 185 of 441 products for each channel and filter, which then has 16 sums.
  const Graph small = optimize(step(7, 256, 256, {.padding = Padding::same}).trace());
  EXPECT_EQ(count_with(small, "FusedConv2D", "winograd"), 1);
  EXPECT_EQ(count_with(small, "Conv2DKernelGradient", "winograd"), 0);
  const Graph large = optimize(step(16, 256, 256, {.padding = Padding::same}).trace());
  EXPECT_EQ(count_with(large, "Conv2DKernelGradient", "winograd"), 1);
}

TEST(ConvAlgorithms, TransformsOfATrainedKernelDoNotPayForFewImages) {
  ConvolutionStep trained = step(7, 256, 256, {.padding = Padding::same});
  trained.batch = 1;
  EXPECT_EQ(count_with(optimize(trained.trace()), "FusedConv2D", "winograd"), 1);
  trained.updates_kernel = true;
  EXPECT_EQ(count_with(optimize(trained.trace()), "FusedConv2D", "winograd"), 0);
  trained.batch = 8;
  const Graph graph = optimize(trained.trace());
  EXPECT_EQ(count_with(graph, "FusedConv2D", "winograd"), 1);
  EXPECT_EQ(count_with(graph, "Conv2DInputGradient", "winograd"), 1);
}

TEST(ConvAlgorithms, PooledConvolutionsFollowTheSameRule) {
  const auto pooled = [](std::int64_t size, std::int64_t channels) {
    ConvolutionStep result = step(size, channels, channels);
    result.after = [](const Tensor& y) { return max_pool2d(relu(y)); };
    return result;
  };
  const auto count_of = [](const ConvolutionStep& traced, std::string_view algorithm) {
    return count_with(optimize(traced.trace()), "FusedConv2DMaxPool", algorithm);
  };
  EXPECT_EQ(count_of(pooled(16, 32), "winograd"), 1);
  ConvolutionStep trained = pooled(6, 256);
  trained.batch = 1;
  EXPECT_EQ(count_of(trained, "winograd"), 1);
  trained.updates_kernel = true;
  EXPECT_EQ(count_of(trained, "winograd"), 0);
  trained.batch = 16;
  EXPECT_EQ(count_of(trained, "winograd"), 1);

  // Two rows and columns of pixels are one tile of 2 x 2, and a quarter of one of 4 x 4.
  config::set_fast_math(true);
  EXPECT_EQ(count_of(pooled(4, 32), "winograd"), 1);
  EXPECT_EQ(count_of(pooled(16, 32), "fast_winograd"), 1);
  config::set_fast_math(false);
}

TEST(ConvAlgorithms, TilesThatHangOverTheEdgeDoNotPay) {
  // One pixel of output is one tile: 16 products instead of 9.
  EXPECT_EQ(count_with(optimize(step(3, 32, 32).trace()), "FusedConv2D", "winograd"), 0);
  // The gradient of a small image without padding is larger than the image: 9 tiles of 16 products for 9 pixels of 9.
  const Graph graph = optimize(step(6, 32, 32).trace());
  EXPECT_EQ(count_with(graph, "FusedConv2D", "winograd"), 1);
  EXPECT_EQ(count_with(graph, "Conv2DInputGradient", "winograd"), 0);
}

TEST(ConvAlgorithms, AnImageOfOneTileTakesALargerOne) {
  const Graph graph = optimize(step(5, 64, 64).trace());
  EXPECT_EQ(count_with(graph, "FusedConv2D", "winograd"), 1);
  EXPECT_EQ(count_with(graph, "Conv2DInputGradient", "winograd"), 1);
}

TEST(ConvAlgorithms, LargeTilesAreForFastMathOnly) {
  const ConvolutionStep filtered = step(16, 32, 32, {.padding = Padding::same});
  const std::vector<Tensor> exact = filtered.run({});
  config::set_fast_math(true);
  const Graph graph = optimize(filtered.trace());
  const std::vector<Tensor> fast = filtered.run({});
  config::set_fast_math(false);
  EXPECT_EQ(count_with(graph, "FusedConv2D", "fast_winograd"), 1);
  EXPECT_EQ(count_with(graph, "Conv2DInputGradient", "fast_winograd"), 1);
  for (std::size_t i = 1; i < exact.size(); ++i) EXPECT_LE(test::relative_distance(fast[i], exact[i]), 1e-5);
}

TEST(ConvAlgorithms, ResultsAreThoseOfTheDirectForm) {
  for (const std::int64_t size : {5, 6, 9, 16}) {
    for (const bool is_pooled : {false, true}) {
      if (is_pooled && size < 6) continue;
      ConvolutionStep filtered = step(size, 32, 48);
      if (is_pooled) filtered.after = [](const Tensor& y) { return max_pool2d(relu(y)); };
      // Tiles of 3 x 3 have two to four times the rounding error.
      expect_same_results(filtered, {}, 0, size == 5 ? 2e-6 : 1e-6);
    }
  }
  for (const std::int64_t taps : {3, 5}) {
    ConvolutionStep filtered = row_step(33, 32, 48, taps);
    expect_same_results(filtered, {}, 0);
    filtered.updates_kernel = true;
    expect_same_results(filtered, {}, 0);
  }
}

}  // namespace
}  // namespace rhyton::graph
