#include <rhyton/framework/graph/passes/replace_nodes.h>

#include <vector>

namespace rhyton::graph {

Graph replace_nodes(const Graph& graph, const std::function<Function(const Node&)>& replacement) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    const Function function = replacement(node);
    if (!function) {
      rewriter.keep(node);
      continue;
    }
    std::vector<FunctionInput> inputs;
    for (const TensorSpec& spec : graph.specs_of(node.inputs)) inputs.push_back({spec, -1});
    const std::vector<ValueId> results = rewriter.insert(trace(inputs, function), rewriter.mapped(node.inputs));
    for (std::size_t i = 0; i < results.size(); ++i) rewriter.map(node.outputs[i], results[i]);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
