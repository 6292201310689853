#include <rhyton/framework/graph/passes/widen_half_sums.h>

#include <algorithm>
#include <vector>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::graph {
namespace {

std::vector<TensorSpec> widened(std::vector<TensorSpec> specs) {
  for (TensorSpec& spec : specs) {
    if (is_half(spec.dtype)) spec.dtype = DType::float32;
  }
  return specs;
}

/// Whether the op gives in float32 what it gives in a half type.
bool can_widen(const Graph& graph, const Node& node) {
  const std::vector<TensorSpec> outputs = graph.specs_of(node.outputs);
  const bool gives_half =
      std::any_of(outputs.begin(), outputs.end(), [](const TensorSpec& spec) { return is_half(spec.dtype); });
  return gives_half && node.op->infer(widened(graph.specs_of(node.inputs))) == widened(outputs);
}

}  // namespace

Graph widen_half_sums(const Graph& graph) {
  const BatchAnalysis batch = analyze_batch(graph);
  Rewriter rewriter(graph);
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (batch.execution[i] != Execution::sums || !can_widen(graph, node)) {
      rewriter.keep(node);
      continue;
    }
    std::vector<InputSpec> inputs;
    for (const TensorSpec& spec : graph.specs_of(node.inputs)) inputs.push_back({spec, -1});
    const std::vector<TensorSpec> outputs = graph.specs_of(node.outputs);
    const Graph body = trace(inputs, [&](std::vector<Tensor> wide) {
      for (Tensor& input : wide) {
        if (is_half(input.dtype())) input = cast(input, DType::float32);
      }
      std::vector<Tensor> results = rhyton::apply(node.op, wide);
      for (std::size_t k = 0; k < results.size(); ++k) results[k] = cast(results[k], outputs[k].dtype);
      return results;
    });
    const std::vector<ValueId> results = rewriter.insert(body, rewriter.mapped(node.inputs));
    for (std::size_t k = 0; k < results.size(); ++k) rewriter.map(node.outputs[k], results[k]);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
