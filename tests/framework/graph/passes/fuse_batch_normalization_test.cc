#include <rhyton/framework/graph/passes/fuse_batch_normalization.h>

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/fused_batch_normalization.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

using Follow = std::function<Tensor(const Tensor& normalized, const Tensor& x)>;

Tensor normalized(const Tensor& x) {
  const Tensor row = Tensor::full({x.shape().at(-1)}, 1.5);
  return batch_normalization(x, row, row, 1e-3).y;
}

/// The normalisation of [4, 3, 3, 8], what follows it, and the gradient of x for the sum of the result's squares.
Graph step(const Follow& follow) {
  return fuse_batch_normalization(trace({{{{4, 3, 3, 8}, float32}, 0}}, [&](const std::vector<Tensor>& in) {
    GradientTape tape;
    tape.watch(in[0]);
    const Tensor y = follow(normalized(in[0]), in[0]);
    return std::vector<Tensor>{y, tape.gradient(sum(square(y)), std::vector<Tensor>{in[0]})[0]};
  }));
}

const Node& node_called(const Graph& graph, std::string_view name) {
  for (const Node& node : graph.nodes()) {
    if (node.op->name() == name) return node;
  }
  throw InvalidArgumentError("The graph has no " + std::string(name) + ":\n" + graph.to_string());
}

TEST(FuseBatchNormalization, ReluJoinsAndSoDoesItsDerivative) {
  const Graph graph = step([](const Tensor& y, const Tensor&) { return relu(y); });
  const Node& fused = node_called(graph, "FusedBatchNormalization");
  EXPECT_EQ(fused.op->attributes(), "activation=relu, epsilon=0.001");
  EXPECT_EQ(fused.inputs.size(), 5U);
  for (const char* const gone :
       {"BatchNormalization", "BatchNormalizationSums", "BatchNormalizationInputGradient", "Relu", "ReluGrad"}) {
    EXPECT_EQ(count(graph, gone), 0) << gone;
  }
  // Both derivatives take the gradient of ReLU's result, and the inputs of the normalisation.
  const Node& sums = node_called(graph, "FusedBatchNormalizationSums");
  const Node& gradient = node_called(graph, "FusedBatchNormalizationInputGradient");
  ASSERT_EQ(sums.inputs.size(), 6U);
  ASSERT_EQ(gradient.inputs.size(), 8U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(gradient.inputs[i], sums.inputs[i]);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(sums.inputs[i + 1], fused.inputs[i]);
  EXPECT_EQ(gradient.inputs[6], sums.outputs[0]);
  EXPECT_EQ(gradient.inputs[7], sums.outputs[1]);
}

TEST(FuseBatchNormalization, WhatIsAddedBecomesItsSideInput) {
  for (const bool is_first : {false, true}) {
    const Graph graph = step([&](const Tensor& y, const Tensor& x) { return relu(is_first ? y + x : x + y); });
    const Node& fused = node_called(graph, "FusedBatchNormalization");
    EXPECT_EQ(fused.op->attributes(), "activation=relu, epsilon=0.001");
    ASSERT_EQ(fused.inputs.size(), 6U);
    EXPECT_EQ(fused.inputs[5], graph.inputs()[0]);
    EXPECT_EQ(count(graph, "Relu"), 0);
    // The gradient behind ReLU is that of what was added, too.
    EXPECT_EQ(count(graph, "ReluGrad"), 1);
    EXPECT_EQ(count(graph, "BatchNormalizationSums"), 1);
    EXPECT_EQ(count(graph, "BatchNormalizationInputGradient"), 1);
  }
}

TEST(FuseBatchNormalization, ASumAloneJoinsToo) {
  const Graph graph = step([](const Tensor& y, const Tensor& x) { return x + y; });
  EXPECT_EQ(node_called(graph, "FusedBatchNormalization").op->attributes(), "activation=none, epsilon=0.001");
  EXPECT_EQ(count(graph, "BatchNormalizationSums"), 1);
}

TEST(FuseBatchNormalization, OfTwoThatAreAddedOneIsTheSideInput) {
  const Graph graph = step([](const Tensor& y, const Tensor& x) { return relu(y + normalized(x * 2.0)); });
  EXPECT_EQ(count(graph, "BatchNormalization"), 1);
  const Node& fused = node_called(graph, "FusedBatchNormalization");
  ASSERT_EQ(fused.inputs.size(), 6U);
  EXPECT_EQ(fused.inputs[5], node_called(graph, "BatchNormalization").outputs[0]);
}

TEST(FuseBatchNormalization, WhatOthersReadStays) {
  const Graph normalized_read = step([](const Tensor& y, const Tensor&) { return relu(y) * sigmoid(y); });
  EXPECT_EQ(count(normalized_read, "BatchNormalization"), 1);
  EXPECT_EQ(count(normalized_read, "Relu"), 1);
  // A sum of another shape is none of a residual block.
  const Graph bias = step([](const Tensor& y, const Tensor&) { return relu(y + Tensor::full({8}, 0.5)); });
  EXPECT_EQ(count(bias, "BatchNormalization"), 1);
  EXPECT_EQ(count(bias, "Relu"), 1);
}

TEST(FuseBatchNormalization, AGradientThatOthersReadKeepsItsMask) {
  const Graph graph = fuse_batch_normalization(
      trace({{{{4, 8}, float32}, 0}, {{{4, 8}, float32}, 0}}, [](const std::vector<Tensor>& in) {
        GradientTape tape;
        tape.watch(in[0]);
        const Tensor y = normalized(in[0]);
        tape.watch(y);
        const Tensor z = relu(y);
        return tape.gradient(sum(square(z)), std::vector<Tensor>{in[0], y});
      }));
  EXPECT_EQ(count(graph, "FusedBatchNormalization"), 1);
  EXPECT_EQ(count(graph, "ReluGrad"), 1);
  EXPECT_EQ(count(graph, "BatchNormalizationSums"), 1);
  EXPECT_EQ(count(graph, "FusedBatchNormalizationSums"), 0);
}

TEST(FuseBatchNormalization, SideInputsOfAnotherKindAreRefused) {
  const TensorSpec x{{4, 8}, float32};
  const TensorSpec row{{8}, float32};
  const FusedBatchNormalizationOp op(Epilogue::none, 1e-3);
  const auto infer = [&](const TensorSpec& side_input) {
    return op.infer(std::vector<TensorSpec>{x, row, row, row, row, side_input});
  };
  EXPECT_EQ(infer(x), std::vector<TensorSpec>{x});
  EXPECT_THROW(infer(row), InvalidArgumentError);
  EXPECT_THROW(infer({{4, 8}, bfloat16}), InvalidArgumentError);
}

}  // namespace
}  // namespace rhyton::graph
