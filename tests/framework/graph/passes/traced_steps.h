#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/conv.h>

namespace rhyton::graph {

/// The names of a graph's ops, in order.
std::vector<std::string> names_of(const Graph& graph);

/// The number of ops of that name.
std::int64_t count(const Graph& graph, std::string_view name);

/// A training step of one convolution: images [batch, height, width, channels], conv2d, a bias, then `after`; the loss
/// is the sum of the result times fixed weights. Outputs: the loss, the result, and the gradients of images, kernel and
/// bias.
struct ConvolutionStep {
  std::int64_t batch = 6;
  std::int64_t height = 9;
  std::int64_t width = 9;
  std::int64_t channels = 16;
  std::int64_t filters = 16;
  Conv2DAttributes window = {};
  std::function<Tensor(const Tensor&)> after;
  std::int64_t kernel_height = 3;
  std::int64_t kernel_width = 3;
  /// Whether the step subtracts the gradient from the kernel.
  bool updates_kernel = false;

  Graph trace() const;
  /// The results of an Executable of the graph for random images, with the check for expired memory.
  std::vector<Tensor> run(const PassOptions& passes) const;
};

/// Expects the results of a step with these passes to equal those without any: outputs 1 to exact - 1 bit for bit, for
/// the others ‖a − b‖ / ‖b‖ at most `distance`, for sums of a few hundred products in another order.
void expect_same_results(const ConvolutionStep& step, const PassOptions& passes, std::size_t exact,
                         double distance = 1e-6);

/// Expects the results of a step that normalizes the result of the convolution to be those without any passes, within
/// 2e-5 of them or of 1. The gradient of its bias, zero up to rounding, is not compared.
void expect_close_results_but_for_bias(const ConvolutionStep& step, const PassOptions& passes);

}  // namespace rhyton::graph
