#include <rhyton/framework/graph/passes/widen_half_sums.h>

#include <algorithm>
#include <vector>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/passes/replace_nodes.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::graph {
namespace {

std::vector<TensorSpec> widened(std::vector<TensorSpec> specs) {
  for (TensorSpec& spec : specs) {
    if (is_half(spec.dtype)) spec.dtype = DType::float32;
  }
  return specs;
}

/// Whether the op can compute in float32 what it computes in a half type.
bool can_widen(const Graph& graph, const Node& node) {
  const std::vector<TensorSpec> outputs = graph.specs_of(node.outputs);
  const bool gives_half =
      std::any_of(outputs.begin(), outputs.end(), [](const TensorSpec& spec) { return is_half(spec.dtype); });
  return gives_half && node.op->infer(widened(graph.specs_of(node.inputs))) == widened(outputs);
}

}  // namespace

Graph widen_half_sums(const Graph& graph) {
  const BatchAnalysis batch = analyze_batch(graph);
  return replace_nodes(graph, [&](const Node& node) -> Function {
    if (!batch.sums_any(node) || !can_widen(graph, node)) return {};
    return [&graph, &node](std::vector<Tensor> wide) {
      const std::vector<TensorSpec> outputs = graph.specs_of(node.outputs);
      for (Tensor& input : wide) {
        if (is_half(input.dtype())) input = cast(input, DType::float32);
      }
      std::vector<Tensor> results = rhyton::apply(node.op, wide);
      for (std::size_t k = 0; k < results.size(); ++k) results[k] = cast(results[k], outputs[k].dtype);
      return results;
    };
  });
}

}  // namespace rhyton::graph
