#include <rhyton/framework/graph/passes/expand_batch_normalization.h>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::graph {

namespace {

Tensor expanded(const BatchNormalizationOp& op, const std::vector<Tensor>& in) {
  const auto [factor, offset] = batch_normalization_line(in[1], in[2], in[3], in[4], op.epsilon);
  return cast(cast(in[0], factor.dtype()) * factor + offset, in[0].dtype());
}

}  // namespace

Graph expand_batch_normalization(const Graph& graph) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    const auto* normalization = op_as<BatchNormalizationOp>(node);
    const auto* gradient = op_as<BatchNormalizationInputGradientOp>(node);
    if (normalization == nullptr && gradient == nullptr) {
      rewriter.keep(node);
      continue;
    }
    std::vector<InputSpec> inputs;
    for (const TensorSpec& spec : graph.specs_of(node.inputs)) inputs.push_back({spec, -1});
    const Graph body = trace(inputs, [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{normalization != nullptr
                                     ? expanded(*normalization, in)
                                     : batch_normalization_input_gradient(in, gradient->epsilon, gradient->count)};
    });
    rewriter.map(node.outputs[0], rewriter.insert(body, rewriter.mapped(node.inputs))[0]);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
