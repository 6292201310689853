#include <rhyton/framework/graph/passes/sum_kernel_gradients.h>

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/passes/dead_nodes.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/graph/passes/traced_steps.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::graph {
namespace {

using test::random_tensor;
using Use = std::function<Tensor(const Tensor& x, const Tensor& weights)>;

/// A state [6, 4] that is multiplied with the weights three times.
Tensor loop(const Tensor& x, const Tensor& weights) {
  Tensor state = x;
  for (int step = 0; step < 3; ++step) state = tanh(matmul(state, weights));
  return sum(state);
}

/// The gradient of the function of x [6, 4] and of weights [4, 4] with respect to these.
std::vector<Tensor> gradient(const std::vector<Tensor>& in, const Use& use) {
  GradientTape tape;
  tape.watch(in[1]);
  const Tensor result = use(in[0], in[1]);
  return {tape.gradient(result, in[1])};
}

Graph gradient_of(const Use& use, DType dtype = DType::float32) {
  return remove_dead_nodes(trace({{{{6, 4}, dtype}, 0}, {{{4, 4}, dtype}, -1}},
                                 [&](const std::vector<Tensor>& in) { return gradient(in, use); }));
}

Graph joined(const Use& use, DType dtype = DType::float32) {
  return remove_dead_nodes(sum_kernel_gradients(gradient_of(use, dtype)));
}

TEST(SumKernelGradients, OfALoopAreOneOp) {
  EXPECT_EQ(count(gradient_of(loop), "MatMulKernelGradient"), 3);
  const Graph graph = joined(loop);
  EXPECT_EQ(count(graph, "SummedMatMulKernelGradients"), 1);
  EXPECT_EQ(count(graph, "MatMulKernelGradient"), 0);
  EXPECT_EQ(count(graph, "AddV2"), 0);
}

TEST(SumKernelGradients, OtherTermsAreAdded) {
  const Use penalized = [](const Tensor& x, const Tensor& weights) {
    return loop(x, weights) + sum(weights * weights) + sum(exp(weights));
  };
  const Graph graph = joined(penalized);
  EXPECT_EQ(count(graph, "SummedMatMulKernelGradients"), 1);
  EXPECT_EQ(count(graph, "MatMulKernelGradient"), 0);
  EXPECT_GE(count(graph, "AddV2"), 2);
}

TEST(SumKernelGradients, TheResultsStay) {
  const std::vector<Use> uses = {
      loop,
      [](const Tensor& x, const Tensor& weights) { return loop(x, weights) + sum(weights * weights) * 0.5; },
      [](const Tensor& x, const Tensor& weights) { return sum(exp(matmul(x, weights))) + sum(exp(weights)); },
  };
  const std::vector<Tensor> inputs = {random_tensor({6, 4}, 1), random_tensor({4, 4}, 2)};
  for (std::size_t i = 0; i < uses.size(); ++i) {
    SCOPED_TRACE(i);
    Executable executable(gradient_of(uses[i]), {.plan = {.slices = 2, .check = true}});
    test::expect_close_to_largest(executable(inputs)[0], gradient(inputs, uses[i])[0], 1e-5);
  }
}

TEST(SumKernelGradients, OneGradientStays) {
  const Use once = [](const Tensor& x, const Tensor& weights) { return sum(exp(matmul(x, weights))) + sum(weights); };
  EXPECT_EQ(count(joined(once), "MatMulKernelGradient"), 1);
}

TEST(SumKernelGradients, AGradientThatIsAResultItselfStays) {
  const Graph graph = trace({{{{6, 4}, DType::float32}, 0}}, [](const std::vector<Tensor>& in) {
    const Tensor first = matmul_kernel_gradient(in[0], exp(in[0]));
    return std::vector<Tensor>{first, first + matmul_kernel_gradient(in[0], sin(in[0]))};
  });
  EXPECT_EQ(count(sum_kernel_gradients(graph), "MatMulKernelGradient"), 2);
}

TEST(SumKernelGradients, HalfTypesStay) { EXPECT_EQ(count(joined(loop, DType::bfloat16), "MatMulKernelGradient"), 3); }

}  // namespace
}  // namespace rhyton::graph
