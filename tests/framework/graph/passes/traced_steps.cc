#include <rhyton/tests/framework/graph/passes/traced_steps.h>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::graph {

std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) names.emplace_back(node.op->name());
  return names;
}

std::int64_t count(const Graph& graph, std::string_view name) {
  return std::count_if(graph.nodes().begin(), graph.nodes().end(),
                       [&](const Node& node) { return node.op->name() == name; });
}

Graph ConvolutionStep::trace() const {
  const Shape kernel_shape = {kernel_height, kernel_width, channels / window.groups, filters};
  const Variable kernel(test::random_tensor(kernel_shape, 1), {.name = "kernel"});
  const Variable bias(test::random_tensor({filters}, 2), {.name = "bias"});
  const Shape images = {batch, height, width, channels};
  return graph::trace({{{images, float32}, 0}}, [&](const std::vector<Tensor>& in) {
    GradientTape tape;
    tape.watch(in[0]);
    const Tensor result = after(conv2d(in[0], kernel, window) + bias);
    const Tensor weights = test::random_tensor(result.shape().slice(1, result.rank()), 3, 0.1, 1.0);
    const Tensor loss = sum(result * weights);
    std::vector<Tensor> outputs = {loss, result};
    for (const Tensor& gradient : tape.gradient(loss, std::vector<Tensor>{in[0], kernel.value(), bias.value()})) {
      outputs.push_back(gradient);
    }
    if (updates_kernel) kernel.assign(kernel.value() - outputs[3]);
    return outputs;
  });
}

std::vector<Tensor> ConvolutionStep::run(const PassOptions& passes) const {
  Executable executable(trace(), {.passes = passes, .plan = {.check = true}});
  return executable({test::random_tensor({batch, height, width, channels}, 4)});
}

void expect_same_results(const ConvolutionStep& step, const PassOptions& passes, std::size_t exact, double distance) {
  const std::vector<Tensor> expected = step.run(PassOptions::without_fusion());
  const std::vector<Tensor> actual = step.run(passes);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    if (0 < i && i < exact) {
      EXPECT_TRUE(test::same_bits(actual[i], expected[i]));
    } else {
      EXPECT_LE(test::relative_distance(actual[i], expected[i]), distance);
    }
  }
}

void expect_close_results_but_for_bias(const ConvolutionStep& step, const PassOptions& passes) {
  const std::vector<Tensor> expected = step.run(PassOptions::without_fusion());
  const std::vector<Tensor> actual = step.run(passes);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i + 1 < expected.size(); ++i) {
    ASSERT_EQ(actual[i].spec(), expected[i].spec());
    const std::vector<double> a = actual[i].to_vector();
    const std::vector<double> b = expected[i].to_vector();
    for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 2e-5 * std::max(1.0, std::abs(b[k]))) << i;
  }
}

}  // namespace rhyton::graph
