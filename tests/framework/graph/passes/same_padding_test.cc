#include <rhyton/framework/graph/passes/same_padding.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/graph/batch_of.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::graph {
namespace {

using Paddings = std::vector<std::pair<std::int64_t, std::int64_t>>;

constexpr std::int64_t channels = 3;

/// Images that are padded and convolved, one filter per channel.
struct PaddedConvolution {
  std::int64_t size;
  Paddings paddings;
  Conv2DAttributes window = {.strides = {2, 2}, .groups = channels};
  double value = 0;
  std::int64_t kernel_size = 3;

  Graph trace() const {
    const Variable kernel(test::random_tensor({kernel_size, kernel_size, 1, channels}, 1), {.name = "kernel"});
    return graph::trace({batch_of({2, size, size, channels})}, [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{conv2d(pad(in[0], paddings, value), kernel.value(), window)};
    });
  }
};

Paddings around(std::int64_t before, std::int64_t after) { return {{0, 0}, {before, after}, {before, after}, {0, 0}}; }

TEST(SamePadding, ZerosOnlyBehindImagesOfEvenSizesArePaddedByTheConvolution) {
  for (const PaddedConvolution& test :
       {PaddedConvolution{.size = 8, .paddings = around(0, 1)}, PaddedConvolution{.size = 9, .paddings = around(1, 1)},
        PaddedConvolution{.size = 8, .paddings = around(1, 2), .kernel_size = 5}}) {
    const Graph graph = test.trace();
    const Graph joined = use_same_padding(graph);
    EXPECT_EQ(names_of(joined), std::vector<std::string>{"Conv2D"});
    const Tensor x = test::random_tensor({2, test.size, test.size, channels}, 2);
    const auto result = [&](const PassOptions& passes) { return Executable(graph, {.passes = passes})({x})[0]; };
    test::expect_close_to_largest(result(PassOptions::only({"same_padding"})), result(PassOptions::without_fusion()),
                                  1e-6);
  }
}

TEST(SamePadding, OtherPaddingsStay) {
  for (const PaddedConvolution& test : {
           // As before the first convolution of ResNet-50: zeros on both sides.
           PaddedConvolution{.size = 8, .paddings = around(1, 1)},
           PaddedConvolution{.size = 8, .paddings = around(0, 2)},
           PaddedConvolution{.size = 8, .paddings = around(0, 1), .value = 1},
           PaddedConvolution{.size = 8, .paddings = {{0, 1}, {0, 1}, {0, 1}, {0, 0}}},
           PaddedConvolution{.size = 8,
           .paddings = around(0, 1),
           .window = {.strides = {2, 2}, .padding = Padding::same, .groups = channels}},
       }) {
    const Graph graph = test.trace();
    EXPECT_EQ(names_of(use_same_padding(graph)), names_of(graph));
  }
}

TEST(SamePadding, PaddedImagesThatAGradientReadsStay) {
  const Variable kernel(test::random_tensor({3, 3, 1, channels}, 1), {.name = "kernel"});
  const Graph step = trace({batch_of({2, 8, 8, channels})}, [&](const std::vector<Tensor>& in) {
    GradientTape tape;
    const Tensor y = conv2d(pad(in[0], around(0, 1)), kernel.value(), {.strides = {2, 2}, .groups = channels});
    return tape.gradient(sum(square(y)), std::vector<Variable>{kernel});
  });
  EXPECT_EQ(names_of(use_same_padding(step)), names_of(step));
}

}  // namespace
}  // namespace rhyton::graph
