#include <rhyton/framework/graph/passes/concatenate_padded_sums.h>

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::graph {
namespace {

using Slices = std::function<Tensor(const Tensor&)>;

/// The gradient of the function of a [4, 6, 3].
Graph gradient_of(const Slices& function) {
  return remove_dead_nodes(trace({{{{4, 6, 3}, float32}, 0}}, [&](const std::vector<Tensor>& in) {
    const Tensor x = in[0] * 1.0F;
    GradientTape tape;
    tape.watch(x);
    const Tensor result = function(x);
    return std::vector<Tensor>{tape.gradient(result, x)};
  }));
}

Graph joined(const Slices& function) { return remove_dead_nodes(concatenate_padded_sums(gradient_of(function))); }

Tensor part(const Tensor& x, std::int64_t begin, std::int64_t end) { return x[{Slice(), Slice(begin, end)}]; }

TEST(ConcatenatePaddedSums, SlicesThatCoverATensorHaveOneConcatenationAsGradient) {
  const Slices two = [](const Tensor& x) { return sum(exp(part(x, 0, 2))) + sum(sin(part(x, 2, 6))); };
  EXPECT_EQ(count(gradient_of(two), "PadV2"), 2);
  EXPECT_EQ(count(joined(two), "PadV2"), 0);
  EXPECT_EQ(count(joined(two), "ConcatV2"), 1);
  // In any order.
  const Slices three = [](const Tensor& x) {
    return sum(exp(part(x, 3, 6))) + sum(sin(part(x, 0, 1))) + sum(cos(part(x, 1, 3)));
  };
  EXPECT_EQ(count(joined(three), "PadV2"), 0);
  EXPECT_EQ(count(joined(three), "ConcatV2"), 1);
}

TEST(ConcatenatePaddedSums, OtherSumsStay) {
  const std::vector<Slices> others = {
      // A gap, an overlap, two axes, steps.
      [](const Tensor& x) { return sum(exp(part(x, 0, 2))) + sum(sin(part(x, 3, 6))); },
      [](const Tensor& x) { return sum(exp(part(x, 0, 3))) + sum(sin(part(x, 2, 6))); },
      [](const Tensor& x) {
        return sum(exp(part(x, 0, 3))) + sum(sin(x[{Slice(), Slice(), Slice(1, 3)}]));
      },
      [](const Tensor& x) {
        return sum(exp(x[{Slice(), Slice(0, {}, 2)}])) + sum(sin(x[{Slice(), Slice(1, {}, 2)}]));
      },
      [](const Tensor& x) { return sum(exp(part(x, 0, 2))) + sum(sin(part(x, 2, 6))) + sum(cos(x)); },
  };
  for (const Slices& function : others) {
    EXPECT_GE(count(joined(function), "PadV2"), 1);
    EXPECT_EQ(count(joined(function), "ConcatV2"), 0);
  }
}

TEST(ConcatenatePaddedSums, TheValuesAreTheSame) {
  const Slices function = [](const Tensor& x) {
    return sum(exp(part(x, 4, 6))) + sum(sin(part(x, 0, 1))) + sum(cos(part(x, 1, 4)));
  };
  const Graph graph = gradient_of(function);
  Executable joined(graph, {.plan = {.check = true}});
  Executable plain(graph, {.passes = PassOptions::without({"concatenate_padded_sums"}), .plan = {.check = true}});
  EXPECT_LT(joined.graph().nodes().size(), plain.graph().nodes().size());
  const std::vector<Tensor> inputs = {test::random_tensor({4, 6, 3}, 1)};
  EXPECT_EQ(joined(inputs)[0].to_vector(), plain(inputs)[0].to_vector());
}

}  // namespace
}  // namespace rhyton::graph
