#include <rhyton/framework/graph/passes/join_reductions.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>
#include <rhyton/tests/framework/graph/twice.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::graph {
namespace {

using Tensors = std::vector<Tensor>;

Tensor sum_of(const std::shared_ptr<Communicator>& group, const Tensor& tensor) {
  return sums_over(group, {tensor}).front();
}

/// The graph of a function of three inputs of 4 numbers.
Graph traced(const Function& function) {
  return trace(std::vector<FunctionInput>(3, FunctionInput{{Shape{4}, DType::float32}, -1}), function);
}

/// The sums over replicas of a graph, in order.
std::vector<Node> reductions_of(const Graph& graph) {
  std::vector<Node> found;
  for (const Node& node : graph.nodes()) {
    if (node.op->name() == "AllReduce") found.push_back(node);
  }
  return found;
}

void expect_same_results(const Function& function) {
  Executable joined(traced(function), {.plan = {.check = true}});
  const Tensors inputs{test::random_tensor({4}, 1), test::random_tensor({4}, 2), test::random_tensor({4}, 3)};
  const Tensors expected = function(inputs);
  const Tensors actual = joined(inputs);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(actual[i].to_vector(), expected[i].to_vector()) << "output " << i;
  }
}

class JoinReductions : public testing::Test {
 protected:
  const std::shared_ptr<Communicator> group = std::make_shared<Twice>();
  const std::shared_ptr<Communicator> other_group = std::make_shared<Twice>();
};

TEST_F(JoinReductions, SumsThatDoNotWaitForEachOtherBecomeOne) {
  const Function function = [&](const Tensors& x) {
    const Tensor first = sum_of(group, x[0] * 3.0);
    const Tensor second = sum_of(group, x[1] + x[2]);
    return Tensors{first - second, first * second};
  };
  const Graph joined = join_reductions(traced(function));
  ASSERT_EQ(count(joined, "AllReduce"), 1) << joined.to_string();
  EXPECT_EQ(reductions_of(joined).front().inputs.size(), 2U);
  // The ops before a synchronization point precede it.
  EXPECT_EQ(names_of(joined), (std::vector<std::string>{"Mul", "AddV2", "AllReduce", "Sub", "Mul"}));
  expect_same_results(function);
}

TEST_F(JoinReductions, AllTensorsOfAllOfThemAreThere) {
  const Function function = [&](const Tensors& x) {
    Tensors results = sums_over(group, {x[0], x[1] * 2.0});
    results.push_back(sum_of(group, x[2]));
    return results;
  };
  const Graph joined = join_reductions(traced(function));
  ASSERT_EQ(count(joined, "AllReduce"), 1);
  EXPECT_EQ(reductions_of(joined).front().inputs.size(), 3U);
  EXPECT_EQ(reductions_of(joined).front().outputs, joined.outputs);
  expect_same_results(function);
}

TEST_F(JoinReductions, WhatWaitsForASumStaysBehindIt) {
  const Function function = [&](const Tensors& x) {
    const Tensor first = sum_of(group, x[0]);
    const Tensor second = sum_of(group, first * x[1]);
    return Tensors{second + first};
  };
  const Graph joined = join_reductions(traced(function));
  EXPECT_EQ(names_of(joined), (std::vector<std::string>{"AllReduce", "Mul", "AllReduce", "AddV2"}));
  expect_same_results(function);
}

TEST_F(JoinReductions, EachJoinsTheEarliestSynchronizationPointItCan) {
  const Function function = [&](const Tensors& x) {
    const Tensor first = sum_of(group, x[0]);
    const Tensor second = sum_of(group, first * 2.0);
    const Tensor independent = sum_of(group, x[1]);
    const Tensor third = sum_of(group, independent - 1.0);
    return Tensors{second, third};
  };
  const Graph joined = join_reductions(traced(function));
  ASSERT_EQ(count(joined, "AllReduce"), 2) << joined.to_string();
  for (const Node& reduction : reductions_of(joined)) EXPECT_EQ(reduction.inputs.size(), 2U);
  expect_same_results(function);
}

TEST_F(JoinReductions, GroupsStayApart) {
  const Function function = [&](const Tensors& x) {
    return Tensors{sum_of(other_group, x[0]), sum_of(group, x[1]), sum_of(other_group, x[2])};
  };
  const std::vector<Node> reductions = reductions_of(join_reductions(traced(function)));
  ASSERT_EQ(reductions.size(), 2U);
  const auto communicator_of = [](const Node& node) { return dynamic_cast<const AllReduceOp&>(*node.op).communicator; };
  // In the order of their first sums, which is the same on every replica.
  EXPECT_EQ(communicator_of(reductions[0]), other_group);
  EXPECT_EQ(reductions[0].inputs.size(), 2U);
  EXPECT_EQ(communicator_of(reductions[1]), group);
  EXPECT_EQ(reductions[1].inputs.size(), 1U);
}

TEST_F(JoinReductions, WhereThereIsNothingToJoinTheGraphStays) {
  const Graph without = traced([&](const Tensors& x) { return Tensors{x[0] + x[1], x[2] * 2.0}; });
  EXPECT_EQ(join_reductions(without).to_string(), without.to_string());
  const Graph with_one = traced([&](const Tensors& x) { return Tensors{sum_of(group, x[0]) + x[1]}; });
  EXPECT_EQ(join_reductions(with_one).to_string(), with_one.to_string());
}

TEST_F(JoinReductions, VariablesGetTheSums) {
  const Variable first(Tensor::zeros({4}));
  const Variable second(Tensor::zeros({4}));
  Executable step(traced([&](const Tensors& x) {
    first.assign(first + sum_of(group, x[0]));
    second.assign(second - sum_of(group, x[1]));
    return Tensors{};
  }));
  EXPECT_EQ(count(step.graph(), "AllReduce"), 1);
  const Tensors inputs{Tensor::full({4}, 1.0), Tensor::full({4}, 10.0), Tensor::zeros({4})};
  step(inputs);
  step(inputs);
  EXPECT_EQ(first.value().to_vector(), std::vector<double>(4, 4.0));
  EXPECT_EQ(second.value().to_vector(), std::vector<double>(4, -40.0));
}

}  // namespace
}  // namespace rhyton::graph
