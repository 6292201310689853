// Batches of fewer samples than workers: kernels share the work of one sample.

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/graph/batch_of.h>
#include <rhyton/tests/framework/graph/planning.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::graph {
namespace {

using test::random_tensor;

enum class Pieces { by_kernel, of_rows };

/// The results for one sample, by itself and as the first of three.
void expect_same_bits_alone(const Tensor& three, const Function& function, std::string_view op,
                            Pieces pieces = Pieces::by_kernel) {
  const Tensor one = three.slice(0, 1);
  const int threads = config::num_threads();
  for (const int count : {1, 2}) {
    config::set_num_threads(count);
    Executable alone(trace({{one.spec(), 0}}, function), {.plan = {.check = true}});
    const PlannedCall& call = call_of(alone.plan(), op);
    EXPECT_EQ(call.split_by_kernel, pieces == Pieces::by_kernel) << op;
    EXPECT_GT(call.pieces, 1) << op;
    Executable together(trace({{three.spec(), 0}}, function), {.plan = {.slices = 3}});
    const Tensor result = alone({one})[0];
    const Tensor first = together({three})[0].slice(0, result.shape()[0]);
    EXPECT_EQ(result.to_vector(), first.to_vector());
  }
  config::set_num_threads(threads);
}

TEST(SmallBatches, OneRowOfAWideDenseLayerIsComputedInPieces) {
  // Columns that fill registers, and columns that do not.
  for (const std::int64_t units : {1536, 1501}) {
    const Variable kernel(random_tensor({1024, units}, 1), {.name = "kernel"});
    const Variable bias(random_tensor({units}, 2), {.name = "bias"});
    expect_same_bits_alone(
        random_tensor({3, 1024}, 3), [&](const Tensors& in) { return Tensors{relu(matmul(in[0], kernel) + bias)}; },
        "FusedMatMul");
  }
}

TEST(SmallBatches, OneImageIsConvolvedInPieces) {
  const Variable wide(random_tensor({5, 5, 8, 40}, 1), {.name = "wide"});
  const Variable filtered(random_tensor({3, 3, 32, 33}, 2), {.name = "filtered"});
  const auto direct = [&](const Tensors& in) { return Tensors{relu(conv2d(in[0], wide, {.padding = Padding::same}))}; };
  expect_same_bits_alone(random_tensor({3, 29, 31, 8}, 3), direct, "FusedConv2D");
  // Few pixels: pieces are some of the filters each.
  const Variable deep(random_tensor({1, 1, 256, 200}, 7), {.name = "deep"});
  const auto few_pixels = [&](const Tensors& in) { return Tensors{relu(conv2d(in[0], deep))}; };
  expect_same_bits_alone(random_tensor({3, 7, 7, 256}, 8), few_pixels, "FusedConv2D");
  const Variable grouped(random_tensor({3, 3, 32, 192}, 9), {.name = "grouped"});
  const auto of_groups = [&](const Tensors& in) {
    return Tensors{conv2d(in[0], grouped, {.padding = Padding::same, .groups = 2})};
  };
  expect_same_bits_alone(random_tensor({3, 7, 7, 64}, 10), of_groups, "Conv2D");
  const auto strided = [&](const Tensors& in) { return Tensors{conv2d(in[0], wide, {.strides = {2, 1}})}; };
  expect_same_bits_alone(random_tensor({3, 61, 31, 8}, 3), strided, "Conv2D");
  const auto minimal = [&](const Tensors& in) { return Tensors{relu(conv2d(in[0], filtered))}; };
  expect_same_bits_alone(random_tensor({3, 31, 29, 32}, 4), minimal, "FusedConv2D");
  const Variable of_few_pixels(random_tensor({3, 3, 64, 200}, 11), {.name = "of_few_pixels"});
  const auto minimal_of_few_pixels = [&](const Tensors& in) {
    return Tensors{relu(conv2d(in[0], of_few_pixels, {.padding = Padding::same}))};
  };
  expect_same_bits_alone(random_tensor({3, 7, 7, 64}, 12), minimal_of_few_pixels, "FusedConv2D");
  const auto pooled = [](const Variable& kernel) {
    return [kernel](const Tensors& in) {
      return Tensors{max_pool2d(relu(conv2d(in[0], kernel)), {.pool_size = {2, 2}, .strides = {2, 2}})};
    };
  };
  expect_same_bits_alone(random_tensor({3, 31, 29, 32}, 5), pooled(filtered), "FusedConv2DMaxPool");
  expect_same_bits_alone(random_tensor({3, 61, 57, 8}, 6), pooled(wide), "FusedConv2DMaxPool");
}

TEST(SmallBatches, TransposedConvolutionsOfOneImageAreComputedInPieces) {
  // The direct form with strides, minimal filtering, and one filter per channel.
  const Variable strided(random_tensor({2, 2, 32, 64}, 1), {.name = "strided"});
  const Variable filtered(random_tensor({3, 3, 32, 48}, 2), {.name = "filtered"});
  const Variable depthwise(random_tensor({3, 3, 1, 48}, 3), {.name = "depthwise"});
  const auto transposed = [](const Variable& kernel, const Conv2DAttributes& window, std::int64_t height,
                             std::int64_t width) {
    return [=](const Tensors& in) { return Tensors{conv2d_input_gradient(kernel, in[0], height, width, window)}; };
  };
  expect_same_bits_alone(random_tensor({3, 19, 23, 64}, 4), transposed(strided, {.strides = {2, 2}}, 39, 46),
                         "Conv2DInputGradient");
  expect_same_bits_alone(random_tensor({3, 29, 31, 48}, 5), transposed(filtered, {.padding = Padding::same}, 29, 31),
                         "Conv2DInputGradient");
  expect_same_bits_alone(random_tensor({3, 61, 57, 48}, 6),
                         transposed(depthwise, {.padding = Padding::same, .groups = 48}, 61, 57),
                         "Conv2DInputGradient");
}

TEST(SmallBatches, ElementwiseOpsOnOneImageAreDividedByItsRows) {
  const Tensor images = random_tensor({3, 37, 32, 48}, 1);
  const auto of_rows = [&](const Function& function, std::string_view op) {
    expect_same_bits_alone(images, function, op, Pieces::of_rows);
  };
  of_rows([](const Tensors& in) { return Tensors{silu(in[0])}; }, "Silu");
  // Chains with a factor for each channel, for each pixel and for each image.
  const Variable channels(random_tensor({48}, 2), {.name = "channels"});
  of_rows([&](const Tensors& in) { return Tensors{tanh(in[0] * channels) + in[0]}; }, "ElementwiseChain");
  const Variable pixels(random_tensor({1, 37, 32, 1}, 3), {.name = "pixels"});
  of_rows([&](const Tensors& in) { return Tensors{tanh(in[0] * Tensor(pixels)) + in[0]}; }, "ElementwiseChain");
  of_rows([](const Tensors& in) { return Tensors{sigmoid(sum(in[0], {1, 2}, true)) * in[0]}; }, "Mul");
  // A map of the pixels without the axis of the images is not divided, so that the op stays whole.
  const Variable map(random_tensor({37, 32, 48}, 4), {.name = "map"});
  const Plan plan =
      make_plan(trace({batch_of({1, 37, 32, 48})}, [&](const Tensors& in) { return Tensors{maximum(in[0], map)}; }));
  EXPECT_EQ(call_of(plan, "Maximum").pieces, 1);
}

TEST(SmallBatches, OneSampleOfManyRowsIsDividedByRows) {
  const Variable kernel(random_tensor({3, 3, 9, 32}, 1), {.name = "kernel"});
  const auto volumes = [&](const Tensors& in) {
    return Tensors{conv2d(reshape(in[0], {-1, 20, 24, 9}), kernel, {.padding = Padding::same})};
  };
  expect_same_bits_alone(random_tensor({3, 16, 20, 24, 9}, 2), volumes, "Conv2D", Pieces::of_rows);
  const Variable weights(random_tensor({128, 256}, 3), {.name = "weights"});
  const auto positions = [&](const Tensors& in) { return Tensors{matmul(reshape(in[0], {-1, 128}), weights)}; };
  expect_same_bits_alone(random_tensor({3, 150, 128}, 4), positions, "MatMul", Pieces::of_rows);
}

TEST(SmallBatches, ImagesAreConcatenatedByRows) {
  const auto joined = [](const Tensors& in) { return Tensors{concatenate({in[0], reverse(in[0], {2})}, 3)}; };
  expect_same_bits_alone(random_tensor({3, 37, 32, 48}, 1), joined, "ConcatV2", Pieces::of_rows);
}

TEST(SmallBatches, SmallOpsStayInTheSlicedPhase) {
  const Variable kernel(random_tensor({64, 32}, 1), {.name = "kernel"});
  const Plan plan =
      make_plan(trace({batch_of({1, 64})}, [&](const Tensors& in) { return Tensors{tanh(matmul(in[0], kernel))}; }));
  EXPECT_EQ(phases_of(plan), std::vector<bool>{true});
}

}  // namespace
}  // namespace rhyton::graph
