#include <rhyton/framework/graph/passes/whole_broadcasts.h>

#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::graph {

Graph whole_broadcasts(const Graph& graph) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (node.op->name() != "BroadcastLike") {
      rewriter.keep(node);
      continue;
    }
    const InputSpec x{graph.value(node.inputs[0]).spec, -1};
    const Graph body = trace({x}, [&](const std::vector<Tensor>& in) {
      return std::vector<Tensor>{broadcast_to(in[0], graph.value(node.outputs[0]).spec.shape)};
    });
    rewriter.map(node.outputs[0], rewriter.insert(body, {rewriter.mapped(node.inputs[0])})[0]);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
