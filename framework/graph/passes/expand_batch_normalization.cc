#include <rhyton/framework/graph/passes/expand_batch_normalization.h>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::graph {

Graph expand_batch_normalization(const Graph& graph) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    const auto* normalization = op_as<BatchNormalizationOp>(node);
    if (normalization == nullptr) {
      rewriter.keep(node);
      continue;
    }
    std::vector<InputSpec> inputs;
    for (const TensorSpec& spec : graph.specs_of(node.inputs)) inputs.push_back({spec, -1});
    const Graph body = trace(inputs, [&](const std::vector<Tensor>& in) {
      const auto [factor, offset] = batch_normalization_line(in[1], in[2], in[3], in[4], normalization->epsilon);
      return std::vector<Tensor>{cast(cast(in[0], factor.dtype()) * factor + offset, in[0].dtype())};
    });
    rewriter.map(node.outputs[0], rewriter.insert(body, rewriter.mapped(node.inputs))[0]);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
