#include <rhyton/framework/graph/passes/widen_half_sums.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::graph {
namespace {

using test::expect_close_to_largest;
using test::random_tensor;

constexpr double bfloat16_precision = 0x1p-7;

Graph traced(const std::vector<Tensor>& inputs, const Function& function) {
  std::vector<FunctionInput> specs;
  for (const Tensor& input : inputs) specs.push_back({input.spec(), 0});
  return trace(specs, function);
}

/// Loss and gradients of a convolution and a dense layer in bfloat16.
std::vector<Tensor> half_step(const std::vector<Tensor>& in, const Variable& kernel, const Variable& weights) {
  GradientTape tape;
  const Tensor x = cast(in[0], bfloat16);
  const Tensor y = relu(conv2d(x, cast(kernel, bfloat16), {.padding = Padding::same}));
  const Tensor logits = matmul(reshape(y, {x.shape()[0], 6 * 6 * 3}), cast(weights, bfloat16));
  const Tensor loss = mean(square(cast(logits, float32)));
  std::vector<Tensor> results = tape.gradient(loss, std::vector<Variable>{kernel, weights});
  results.push_back(loss);
  return results;
}

TEST(WidenHalfSums, SlicedStepsInBfloat16AreThoseOfTheWhole) {
  const Variable kernel(random_tensor({3, 3, 2, 3}, 1));
  const Variable weights(random_tensor({6 * 6 * 3, 5}, 2));
  const std::vector<Tensor> inputs = {random_tensor({13, 6, 6, 2}, 3)};
  const auto step = [&](const std::vector<Tensor>& in) { return half_step(in, kernel, weights); };
  const std::vector<Tensor> eager = step(inputs);
  const Graph graph = traced(inputs, step);
  for (const std::int64_t slices : {1, 3, 8}) {
    for (const bool fuse : {false, true}) {
      SCOPED_TRACE(std::to_string(slices) + " slices" + (fuse ? ", fused" : ""));
      Executable executable(graph, {.passes = fuse ? PassOptions() : PassOptions::without_fusion(),
                                    .plan = {.slices = slices, .check = true}});
      const std::vector<Tensor> planned = executable(inputs);
      for (std::size_t i = 0; i < eager.size(); ++i)
        expect_close_to_largest(planned[i], eager[i], 2 * bfloat16_precision);
    }
  }
}

TEST(WidenHalfSums, FusedPoolingInAHalfTypeIsThatOfFloat32) {
  const Variable kernel(random_tensor({3, 3, 2, 4}, 4));
  const std::vector<Tensor> inputs = {random_tensor({16, 12, 12, 2}, 5)};
  const auto step = [&](DType dtype) {
    return [&kernel, dtype](const std::vector<Tensor>& in) {
      GradientTape tape;
      const Tensor y = relu(conv2d(cast(in[0], dtype), cast(kernel, dtype)));
      const Tensor loss = mean(square(cast(max_pool2d(y), float32)));
      tape.stop_recording();
      return std::vector<Tensor>{tape.gradient(loss, kernel), loss};
    };
  };
  const std::vector<Tensor> expected = step(float32)(inputs);
  for (const DType dtype : {float16, bfloat16}) {
    SCOPED_TRACE(std::string(name_of(dtype)));
    Executable executable(traced(inputs, step(dtype)), {.plan = {.slices = 4, .check = true}});
    const std::vector<Tensor> planned = executable(inputs);
    // For windows with two elements that are equal after rounding the other one may be chosen.
    for (std::size_t i = 0; i < expected.size(); ++i)
      expect_close_to_largest(planned[i], expected[i], 4 * bfloat16_precision);
  }
}

TEST(WidenHalfSums, SumsOfManySamplesAreRoundedOnce) {
  // Each slice's sum would be rounded to a multiple of 4, and adding them in bfloat16 would round again.
  const Tensor x = Tensor::full({4099, 1}, 0.3, bfloat16);
  Executable executable(traced({x}, [](const std::vector<Tensor>& in) { return std::vector<Tensor>{sum(in[0])}; }),
                        {.plan = {.slices = 16, .samples_per_chunk = 7}});
  const double exact = 4099 * x.to_vector()[0];
  EXPECT_EQ(executable({x})[0].item(), Tensor::full({}, exact, bfloat16).item());
}

TEST(WidenHalfSums, LeavesOtherDtypesAndOtherOpsAlone) {
  const auto function = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{sum(in[0]), relu(in[1]), sum(in[1], {1})};
  };
  const Graph graph = traced({random_tensor({4, 3}, 1), random_tensor({4, 3}, 2).cast(float16)}, function);
  EXPECT_EQ(widen_half_sums(graph).to_string(), graph.to_string());
}

}  // namespace
}  // namespace rhyton::graph
