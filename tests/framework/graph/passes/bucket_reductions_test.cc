#include <rhyton/framework/graph/passes/bucket_reductions.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/reduction_stages.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/twice.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::graph {
namespace {

using Tensors = std::vector<Tensor>;

/// Sums that were begun are completed at the last moment. Records the calls.
class TwiceLater final : public Twice {
 public:
  explicit TwiceLater(std::size_t bucket) : bucket_(bucket) {}

  bool overlaps() const override { return true; }
  std::vector<std::size_t> buckets_of(std::span<const TensorSpec> tensors) const override {
    std::vector<std::size_t> counts(tensors.size() / bucket_, bucket_);
    if (tensors.size() % bucket_ != 0) counts.push_back(tensors.size() % bucket_);
    return counts;
  }

  void all_reduce(std::span<const ReductionBuffer> buffers, Stream*) override {
    calls += "whole(" + std::to_string(buffers.size()) + ") ";
    add_up(buffers);
  }
  std::int64_t begin_all_reduce(std::span<const ReductionBuffer> buffers) override {
    calls += "begin(" + std::to_string(buffers.size()) + ") ";
    begun_.emplace_back(buffers.begin(), buffers.end());
    return static_cast<std::int64_t>(begun_.size()) - 1;
  }
  void finish_all_reduce(std::int64_t number, std::int64_t last) override {
    EXPECT_LE(number, last);
    EXPECT_LT(last, static_cast<std::int64_t>(begun_.size()));
    calls += "finish ";
    add_up(begun_.at(static_cast<std::size_t>(number)));
  }

  std::string calls;

 private:
  std::size_t bucket_;
  std::vector<std::vector<ReductionBuffer>> begun_;
};

const std::vector<FunctionInput> images{{{Shape{12, 5}, DType::float32}, 0}};

/// The calls of a group in one run of a compiled function of images, whose outputs must equal those of eager execution.
std::string calls_of(const std::shared_ptr<TwiceLater>& group, const Function& function) {
  const Tensors inputs{test::random_tensor({12, 5}, 1)};
  const Tensors expected = function(inputs);
  Executable executable(trace(images, function), {.plan = {.slices = 3, .check = true}});
  EXPECT_TRUE(is_valid(executable.plan().shared_intervals, executable.plan().shared_layout));
  group->calls.clear();
  const Tensors actual = executable(inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::vector<double> a = actual[i].to_vector();
    const std::vector<double> b = expected[i].to_vector();
    for (std::size_t k = 0; k < b.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-4) << "element " << k << " of output " << i;
  }
  return group->calls;
}

/// The names of all calls of a plan, in the order of its phases and waves.
std::vector<std::string> planned(const Plan& plan) {
  std::vector<std::string> names;
  for (const PlannedPhase& phase : plan.phases) {
    for (const PlannedCall& call : phase.calls) names.emplace_back(call.op->name());
  }
  return names;
}

TEST(BucketReductions, ALargeSumIsBegunInParts) {
  const auto group = std::make_shared<TwiceLater>(2);
  EXPECT_EQ(calls_of(group,
                     [&](const Tensors& x) {
                       const Tensors added = sums_over(
                           group, {sum(x[0]), sum(x[0], {0}), mean(x[0]), matmul(x[0], x[0], true), sum(exp(x[0]))});
                       return Tensors{added[0] * 2.0, added[1] - added[4], added[2] * added[0], added[3] + 1.0};
                     }),
            "begin(1) begin(2) begin(2) finish finish finish ");
}

TEST(BucketReductions, EachBeginsBeforeTheNextIsComputedAndIsWaitedForAsLateAsCanBe) {
  const auto group = std::make_shared<TwiceLater>(1);
  Executable executable(trace(images,
                              [&](const Tensors& x) {
                                const Tensor a = matmul(x[0], x[0], /*transpose_a=*/true);
                                const Tensor b = exp(a);
                                const Tensors added = sums_over(group, {b, a});
                                return Tensors{sqrt(added[0]), tanh(added[1]), sin(x[0])};
                              }),
                        {.passes = PassOptions::without_fusion()});
  EXPECT_EQ(planned(executable.plan()),
            (std::vector<std::string>{"MatMul", "BeginAllReduce", "Exp", "BeginAllReduce", "Sin", "FinishAllReduce",
                                      "Tanh", "FinishAllReduce", "Sqrt"}));
}

TEST(BucketReductions, WhatIsReadElsewhereIsNotWrittenOver) {
  const auto group = std::make_shared<TwiceLater>(1);
  calls_of(group, [&](const Tensors& x) {
    const Tensor own = sum(x[0], {0});
    const Tensor other = sum(square(x[0]), {0});
    const Tensors added = sums_over(group, {own, other, own});
    return Tensors{added[0] - own, added[1] * 2.0, added[2], exp(own)};
  });
}

TEST(BucketReductions, SumsMayBeOutputsAndNewValuesOfVariables) {
  const auto group = std::make_shared<TwiceLater>(1);
  const Variable first(Tensor::zeros({5}));
  const Variable second(Tensor::full({}, 1.0));
  Executable step(trace(images,
                        [&](const Tensors& x) {
                          const Tensors added = sums_over(group, {sum(x[0], {0}), sum(x[0]) + second});
                          first.assign(added[0]);
                          second.assign(added[1]);
                          return Tensors{added[1]};
                        }),
                  {.plan = {.check = true}});
  const Tensors ones{Tensor::full({12, 5}, 1.0)};
  EXPECT_EQ(step(ones)[0].item(), 122.0);
  EXPECT_EQ(step(ones)[0].item(), 364.0);
  EXPECT_EQ(first.value().to_vector(), std::vector<double>(5, 24.0));
  EXPECT_EQ(second.value().item(), 364.0);
}

TEST(BucketReductions, OneSumMayWaitForAnother) {
  const auto group = std::make_shared<TwiceLater>(2);
  EXPECT_EQ(
      calls_of(group,
               [&](const Tensors& x) {
                 const Tensor mean_of_all = sums_over(group, {mean(x[0], {0})})[0];
                 const Tensor centred = x[0] - mean_of_all;
                 const Tensors added = sums_over(group, {sum(centred, {0}), sum(square(centred), {0}), sum(centred)});
                 const Tensors last = sums_over(group, {added[0] * 2.0, added[1] * 3.0, added[2] * 4.0});
                 return Tensors{last[0], last[1], last[2]};
               }),
      "whole(1) begin(1) begin(2) finish begin(1) finish begin(2) finish finish ");
}

/// The shapes of the tensors whose sums are begun, in order.
std::vector<Shape> begun(const Graph& graph) {
  std::vector<Shape> shapes;
  for (const Node& node : graph.nodes()) {
    if (node.op->name() == "BeginAllReduce") shapes.push_back(graph.value(node.inputs[0]).spec.shape);
  }
  return shapes;
}

TEST(BucketReductions, TheOrderDoesNotHangOnTheBatch) {
  const auto group = std::make_shared<TwiceLater>(1);
  const Variable position(Tensor::zeros({1, 6}), {.name = "position"});
  const Variable kernel(Tensor::zeros({6, 3}), {.name = "kernel"});
  const auto order_for = [&](std::int64_t samples) {
    return begun(bucket_reductions(trace({{{Shape{samples, 6}, DType::float32}, 0}}, [&](const Tensors& x) {
      GradientTape tape;
      const Tensor loss = sum(square(matmul(x[0] + position.value(), kernel.value())));
      // The gradient of a variable that is not broadcast over the samples is available earlier.
      return sums_over(group, tape.gradient(loss, std::vector<Variable>{position, kernel}));
    })));
  };
  const std::vector<Shape> expected{Shape{6, 3}, Shape{1, 6}};
  EXPECT_EQ(order_for(2), expected);
  EXPECT_EQ(order_for(1), expected);
}

TEST(BucketReductions, TheyBeginBehindTheWholeSumsBeforeThem) {
  const auto group = std::make_shared<TwiceLater>(2);
  const Graph graph = bucket_reductions(trace(images, [&](const Tensors& x) {
    const Tensor whole = sums_over(group, {mean(x[0])})[0];
    const Tensors added = sums_over(group, {sum(x[0]), sum(x[0], {0}), sum(exp(x[0]))});
    return Tensors{whole, added[0], added[1], added[2]};
  }));
  std::vector<NodeId> order;
  for (const Node& node : graph.nodes()) {
    if (node.op->name() != "BeginAllReduce") continue;
    order.push_back(graph.value(node.inputs.back()).producer);
    order.push_back(graph.value(node.outputs.back()).producer);
  }
  ASSERT_EQ(order.size(), 4U);
  EXPECT_EQ(graph.node(order[0]).op->name(), "AllReduce");
  EXPECT_EQ(order[2], order[1]) << "the second bucket behind the first one";
}

TEST(BucketReductions, WhatIsBegunIsFinishedReadOrNot) {
  const auto group = std::make_shared<TwiceLater>(1);
  EXPECT_EQ(calls_of(group,
                     [&](const Tensors& x) {
                       const Tensors added = sums_over(group, {sum(x[0]), sum(exp(x[0])), mean(x[0])});
                       return Tensors{added[0] * 2.0, added[2] * 2.0};
                     }),
            "begin(1) begin(1) begin(1) finish finish finish ");
}

TEST(BucketReductions, BatchSumsHaveTheBitsOfARunWithoutBuckets) {
  const auto apart = std::make_shared<TwiceLater>(1);
  const auto together = std::make_shared<TwiceLater>(9);
  const auto step = [](const std::shared_ptr<TwiceLater>& group) {
    return Executable(trace({{{Shape{64, 700}, DType::float32}, 0}}, [group](const Tensors& x) {
      const Tensor a = tanh(x[0]);
      const Tensor b = sin(a * 3.0);
      const Tensors added = sums_over(group, {sum(a, {0}), sum(b, {0}), sum(square(b * a), {0})});
      return Tensors{added[0] * 1.5, added[1] * 1.5, added[2] * 1.5};
    }));
  };
  const Tensors inputs{test::random_tensor({64, 700}, 1)};
  const Tensors whole = step(together)(inputs);
  const Tensors cut = step(apart)(inputs);
  EXPECT_EQ(apart->calls, "begin(1) begin(1) begin(1) finish finish finish ");
  EXPECT_EQ(together->calls, "whole(3) ");
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(cut[i].to_vector(), whole[i].to_vector());
}

TEST(BucketReductions, GraphsWithoutBucketsHaveNoStages) {
  const Graph graph = trace(images, [&](const Tensors& x) { return Tensors{sum(x[0]) + 1.0}; });
  EXPECT_TRUE(reduction_stages(graph).empty());
  EXPECT_EQ(bucket_reductions(graph).to_string(), graph.to_string());
}

}  // namespace
}  // namespace rhyton::graph
