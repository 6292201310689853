#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/passes/constant_folding.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/passes/fuse_epilogues.h>
#include <rhyton/framework/graph/passes/optimize.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/elementwise_op.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/batch_of.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

TEST(DeadNodes, UnusedNodesAreRemoved) {
  const Variable v(Tensor::full({3}, 1.0), {.name = "v"});
  const Graph graph = trace({batch_of({4, 3})}, [&](const std::vector<Tensor>& in) {
    exp(in[0]);
    v.assign(sum(square(in[0]), {0}));
    return std::vector<Tensor>{relu(in[0])};
  });
  const Graph alive = remove_dead_nodes(graph);
  EXPECT_EQ(names_of(alive), (std::vector<std::string>{"Square", "Sum", "Relu"}));
  EXPECT_EQ(alive.updates.size(), 1U);
}

TEST(ConstantFolding, WhatDependsOnConstantsOnlyIsComputedBeforehand) {
  const Graph graph = trace({batch_of({4, 3})}, [](const std::vector<Tensor>& in) {
    const Tensor scale = sqrt(Tensor::full({3}, 16.0)) * 2.0;
    return std::vector<Tensor>{in[0] * scale};
  });
  const Graph folded = remove_dead_nodes(fold_constants(graph));
  ASSERT_EQ(names_of(folded), std::vector<std::string>{"Mul"});
  const Value& scale = folded.value(folded.nodes()[0].inputs[1]);
  ASSERT_EQ(scale.kind, Value::Kind::constant);
  EXPECT_EQ(scale.constant.to_vector(), std::vector<double>(3, 8.0));
}

TEST(ConstantFolding, VariablesAndLargeResultsAreLeft) {
  const Variable v(Tensor::full({3}, 1.0), {.name = "v"});
  const Graph graph = trace({}, [&](const std::vector<Tensor>&) {
    const Tensor large = full_like(Tensor::full({200, 200}, 1.0), 2.0);
    return std::vector<Tensor>{v.value() * 2.0, large};
  });
  EXPECT_EQ(fold_constants(graph).nodes().size(), graph.nodes().size());
}

TEST(FuseEpilogues, BiasAndReluJoinTheConvolution) {
  const Variable kernel(Tensor::full({3, 3, 2, 5}, 0.1), {.name = "kernel"});
  const Variable bias(Tensor::full({5}, 0.1), {.name = "bias"});
  const Graph graph = trace({batch_of({4, 8, 8, 2})}, [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{relu(conv2d(in[0], kernel) + bias)};
  });
  const Graph fused = fuse_epilogues(graph);
  ASSERT_EQ(names_of(fused), std::vector<std::string>{"FusedConv2D"});
  EXPECT_EQ(fused.nodes()[0].inputs.size(), 3U);
  EXPECT_NE(fused.nodes()[0].op->attributes().find("relu"), std::string::npos);
}

TEST(FuseEpilogues, BiasAloneAndReluAloneToo) {
  const Variable kernel(Tensor::full({3, 5}, 0.1), {.name = "kernel"});
  const Variable bias(Tensor::full({5}, 0.1), {.name = "bias"});
  const auto names = [&](const Function& function) {
    return names_of(fuse_epilogues(trace({batch_of({4, 3})}, function)));
  };
  const std::vector<std::string> fused{"FusedMatMul"};
  EXPECT_EQ(names([&](const std::vector<Tensor>& in) { return std::vector<Tensor>{matmul(in[0], kernel) + bias}; }),
            fused);
  EXPECT_EQ(names([&](const std::vector<Tensor>& in) { return std::vector<Tensor>{relu(matmul(in[0], kernel))}; }),
            fused);
}

TEST(FuseEpilogues, AReshapeOfOtherAxesFollowsTheFusedOp) {
  // As in Conv1D.
  const Variable kernel(Tensor::full({1, 3, 2, 5}, 0.1), {.name = "kernel"});
  const Variable bias(Tensor::full({5}, 0.1), {.name = "bias"});
  const Function layer = [&](const std::vector<Tensor>& in) {
    const Tensor y = conv2d(in[0].reshape({4, 1, 8, 2}), kernel).reshape({4, 6, 5});
    return std::vector<Tensor>{relu(y + bias)};
  };
  const Graph fused = fuse_epilogues(trace({batch_of({4, 8, 2})}, layer));
  EXPECT_EQ(names_of(fused), (std::vector<std::string>{"Reshape", "FusedConv2D", "Reshape"}));
  EXPECT_EQ(fused.value(fused.outputs[0]).spec.shape, (Shape{4, 6, 5}));
  const Graph other = trace({batch_of({4, 8, 2})}, [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{conv2d(in[0].reshape({4, 1, 8, 2}), kernel).reshape({4, 3, 2, 5}).reshape({4, 2, 15})};
  });
  EXPECT_EQ(names_of(fuse_epilogues(other)), names_of(other)) << "there is nothing to join";
  const Graph of_last = trace({batch_of({4, 8, 2})}, [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{relu(conv2d(in[0].reshape({4, 1, 8, 2}), kernel).reshape({4, 3, 10}))};
  });
  EXPECT_EQ(names_of(fuse_epilogues(of_last)), names_of(of_last)) << "another last axis";
}

TEST(FuseEpilogues, WhatSomebodyElseReadsIsLeft) {
  const Variable kernel(Tensor::full({3, 5}, 0.1), {.name = "kernel"});
  const Variable bias(Tensor::full({5}, 0.1), {.name = "bias"});
  const Graph graph = trace({batch_of({4, 3})}, [&](const std::vector<Tensor>& in) {
    const Tensor product = matmul(in[0], kernel);
    return std::vector<Tensor>{relu(product + bias), product};
  });
  EXPECT_EQ(names_of(fuse_epilogues(graph)), names_of(graph));
}

/// A program's own op with the name, and thus the kernel, of another.
class OpNamedRelu final : public UnaryOp {
 public:
  std::string_view name() const override { return "Relu"; }
};

TEST(FuseEpilogues, AnOpIsKnownByItsClassNotByItsName) {
  const Variable kernel(Tensor::full({3, 5}, 0.1), {.name = "kernel"});
  const Graph graph = trace({batch_of({4, 3})}, [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{call<OpNamedRelu>({matmul(in[0], kernel)})};
  });
  EXPECT_EQ(names_of(fuse_epilogues(graph)), (std::vector<std::string>{"MatMul", "Relu"}));
}

TEST(FuseEpilogues, AnAddedMatrixIsNoBias) {
  const Variable kernel(Tensor::full({3, 5}, 0.1), {.name = "kernel"});
  const Graph graph = trace({batch_of({4, 3}), batch_of({4, 5})}, [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{matmul(in[0], kernel) + in[1]};
  });
  EXPECT_EQ(names_of(fuse_epilogues(graph)), names_of(graph));
}

TEST(FuseEpilogues, ATrainingStepIsFusedAlthoughTheGradientReadsTheRelu) {
  const Variable kernel(Tensor::full({3, 5}, 0.1), {.name = "kernel"});
  const Variable bias(Tensor::full({5}, 0.1), {.name = "bias"});
  const Graph graph = trace({batch_of({4, 3})}, [&](const std::vector<Tensor>& in) {
    GradientTape tape;
    const Tensor loss = sum(relu(matmul(in[0], kernel) + bias));
    return tape.gradient(loss, std::vector<Variable>{kernel, bias});
  });
  const std::vector<std::string> names = names_of(optimize(graph));
  EXPECT_EQ(std::count(names.begin(), names.end(), "FusedMatMul"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "MatMul"), 0) << "no gradient of the input is wanted";
}

TEST(Optimize, EachPassCanBeSwitchedOff) {
  const Variable kernel(Tensor::full({3, 5}, 0.1), {.name = "kernel"});
  const Graph graph = trace({batch_of({4, 3})}, [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{relu(matmul(in[0], kernel)) * sqrt(Tensor::full({5}, 4.0))};
  });
  EXPECT_EQ(names_of(optimize(graph, PassOptions::without({"fold_constants", "fuse_epilogues"}))).size(), 4U);
  EXPECT_EQ(names_of(optimize(graph, PassOptions::without({"fuse_epilogues"}))).size(), 3U);
  EXPECT_EQ(names_of(optimize(graph)).size(), 2U);
}

}  // namespace
}  // namespace rhyton::graph
