#include <rhyton/framework/graph/passes/expand_channel_moments.h>

#include <rhyton/framework/graph/passes/readers.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/batch_normalization.h>

namespace rhyton::graph {

Graph expand_channel_moments(const Graph& graph) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (op_as<ChannelMomentsOp>(node) == nullptr) {
      rewriter.keep(node);
      continue;
    }
    const InputSpec images{graph.value(node.inputs[0]).spec, -1};
    const Graph body = trace({images}, [](const std::vector<Tensor>& in) {
      const Moments moments = channel_moments_from_sums(in[0]);
      return std::vector<Tensor>{moments.mean, moments.variance};
    });
    const std::vector<ValueId> results = rewriter.insert(body, rewriter.mapped(node.inputs));
    for (std::size_t i = 0; i < results.size(); ++i) rewriter.map(node.outputs[i], results[i]);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
