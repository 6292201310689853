#include <rhyton/framework/graph/passes/fuse_batch_normalization.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/fused_batch_normalization.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>

namespace rhyton::graph {
namespace {

using Follow = std::function<Tensor(const Tensor& normalized, const Tensor& x)>;
using Tensors = std::vector<Tensor>;

constexpr double epsilon = 1e-3;
const FunctionInput batch_of_images{{{4, 3, 3, 8}, float32}, 0};

Tensor gamma_of(const Tensor& x) { return Tensor::full({x.shape().at(-1)}, 1.5); }
Tensor beta_of(const Tensor& x) { return Tensor::full({x.shape().at(-1)}, 0.25); }

Tensor normalized(const Tensor& x) { return normalize_batch(x, gamma_of(x), beta_of(x), epsilon).y; }

Graph fused(const std::vector<FunctionInput>& inputs, const Function& function) {
  return remove_dead_nodes(fuse_batch_normalization(remove_dead_nodes(trace(inputs, function))));
}

/// The normalization of [4, 3, 3, 8], `follow` after it, and the gradient of x for the sum of the result's squares.
Graph step(const Follow& follow) {
  return fused({batch_of_images}, [&](const Tensors& in) {
    GradientTape tape;
    tape.watch(in[0]);
    const Tensor y = follow(normalized(in[0]), in[0]);
    return Tensors{y, tape.gradient(sum(square(y)), in[0])};
  });
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
  // Both derivatives take the gradient of ReLU's result, and the inputs of the normalization.
  const Node& sums = node_called(graph, "FusedBatchNormalizationSums");
  const Node& gradient = node_called(graph, "FusedBatchNormalizationInputGradient");
  ASSERT_EQ(sums.inputs.size(), 6U);
  ASSERT_EQ(gradient.inputs.size(), 8U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(gradient.inputs[i], sums.inputs[i]);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(sums.inputs[i + 1], fused.inputs[i]);
  EXPECT_EQ(gradient.op->attributes(), "epsilon=0.001, count=36");
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
    // The gradient before ReLU is also that of the summand.
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
  // A sum with another shape is not that of a residual block.
  const Graph bias = step([](const Tensor& y, const Tensor&) { return relu(y + Tensor::full({8}, 0.5)); });
  EXPECT_EQ(count(bias, "BatchNormalization"), 1);
  EXPECT_EQ(count(bias, "Relu"), 1);
}

TEST(FuseBatchNormalization, OfASumOfTwoOnlyOneTakesTheOther) {
  const Graph graph = fused({batch_of_images, batch_of_images},
                            [](const Tensors& in) { return Tensors{normalized(in[0]) + normalized(in[1])}; });
  EXPECT_EQ(count(graph, "BatchNormalization"), 1);
  EXPECT_EQ(count(graph, "FusedBatchNormalization"), 1);
  EXPECT_EQ(count(graph, "AddV2"), 0);
}

// The mask cannot be recomputed without the summand.
TEST(FuseBatchNormalization, BehindASideInputTheMaskIsKept) {
  const Graph graph = fused({batch_of_images, batch_of_images}, [](const Tensors& in) {
    GradientTape tape;
    tape.watch(in[0]);
    const Tensor y = relu(normalized(in[0]) + in[1]);
    return Tensors{y, tape.gradient(sum(square(y)), in[0])};
  });
  EXPECT_EQ(node_called(graph, "FusedBatchNormalization").inputs.size(), 6U);
  EXPECT_EQ(count(graph, "ReluGrad"), 1);
  EXPECT_EQ(count(graph, "BatchNormalizationSums"), 1);
}

/// Expects a step whose normalization and ReLU are fused, and whose derivatives are not.
void expect_mask_kept(const Graph& graph) {
  EXPECT_EQ(count(graph, "FusedBatchNormalization"), 1) << graph.to_string();
  EXPECT_GE(count(graph, "ReluGrad"), 1);
  EXPECT_EQ(count(graph, "FusedBatchNormalizationSums"), 0);
  EXPECT_EQ(count(graph, "FusedBatchNormalizationInputGradient"), 0);
}

/// `others(gradient of the normalized x, x)` are other consumers of that gradient.
Graph step_with(const std::function<Tensor(const Tensor&, const Tensor&)>& others) {
  return fused({batch_of_images}, [&](const Tensors& in) {
    GradientTape tape;
    tape.watch(in[0]);
    const Tensor y = normalized(in[0]);
    tape.watch(y);
    const Tensor z = relu(y);
    const Tensors gradients = tape.gradient(sum(square(z)), Tensors{in[0], y});
    return Tensors{z, gradients[0], others(gradients[1], in[0])};
  });
}

TEST(FuseBatchNormalization, AGradientThatLeavesTheGraphKeepsItsMask) {
  expect_mask_kept(step_with([](const Tensor& gradient, const Tensor&) { return gradient; }));
}

TEST(FuseBatchNormalization, AGradientThatAnotherNodeReadsKeepsItsMask) {
  expect_mask_kept(step_with([](const Tensor& gradient, const Tensor&) { return gradient * 2.0; }));
}

/// The gradient of `normalize` with respect to x, where the gradient of its result comes from the ReLU of another
/// normalization.
Graph step_through(
    const std::function<Tensor(const Tensor& x, const Tensor& mean, const Tensor& variance)>& normalize) {
  return step_with([&](const Tensor& gradient, const Tensor& x) {
    GradientTape tape;
    tape.watch(x);
    const Tensors moments = call_many<ChannelMomentsOp>({x});
    const Tensor y = normalize(x, moments[0], moments[1]);
    return tape.gradient(y, x, gradient);
  });
}

Tensor normalize_with(const Tensor& x, const Tensor& mean, const Tensor& variance, double gamma, double own_epsilon) {
  return call<BatchNormalizationOp>({x, mean, variance, Tensor::full({8}, gamma), Tensor::full({8}, 0.5)}, own_epsilon);
}

TEST(FuseBatchNormalization, DerivativesOfAnotherNormalizationKeepTheMask) {
  expect_mask_kept(step_through([](const Tensor& x, const Tensor& mean, const Tensor& variance) {
    return normalize_with(x, mean + 1.0, variance, 1.5, epsilon);
  }));
  expect_mask_kept(step_through([](const Tensor& x, const Tensor& mean, const Tensor& variance) {
    return normalize_with(x, mean, variance, 2.5, epsilon);
  }));
}

TEST(FuseBatchNormalization, DerivativesWithAnotherEpsilonKeepTheMask) {
  // Everything but epsilon is shared.
  expect_mask_kept(fused({batch_of_images}, [](const Tensors& in) {
    const Tensors moments = call_many<ChannelMomentsOp>({in[0]});
    const Tensor row = gamma_of(in[0]);
    const auto normalize = [&](double own_epsilon) {
      return call<BatchNormalizationOp>({in[0], moments[0], moments[1], row, row}, own_epsilon);
    };
    const Tensor y = normalize(epsilon);
    GradientTape of_relu;
    of_relu.watch(y);
    const Tensor z = relu(y);
    const Tensor masked = of_relu.gradient(sum(square(z)), y);
    GradientTape of_other;
    of_other.watch(in[0]);
    return Tensors{z, of_other.gradient(normalize(0.5), in[0], masked)};
  }));
}

// There ReLU's result is the input of another ReLU's gradient, not its mask.
TEST(FuseBatchNormalization, AResultThatIsAGradientItselfIsNoMask) {
  const Graph graph = fused({batch_of_images, batch_of_images}, [](const Tensors& in) {
    const Tensor z = relu(normalized(in[0]));
    GradientTape tape;
    tape.watch(in[1]);
    const Tensor other = relu(in[1]);
    return Tensors{z, tape.gradient(other, in[1], z)};
  });
  EXPECT_EQ(count(graph, "FusedBatchNormalization"), 1);
  EXPECT_EQ(count(graph, "ReluGrad"), 1);
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
