#include <rhyton/framework/graph/passes/dead_nodes.h>

#include <algorithm>

namespace rhyton::graph {

Graph remove_dead_nodes(const Graph& graph) {
  std::vector<bool> used(graph.values().size(), false);
  const auto use = [&](ValueId id) { used[static_cast<std::size_t>(id)] = true; };
  for (const ValueId id : graph.outputs) use(id);
  for (const Update& update : graph.updates) use(update.value);
  std::vector<bool> alive(graph.nodes().size(), false);
  for (std::size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    alive[i] = std::any_of(node.outputs.begin(), node.outputs.end(),
                           [&](ValueId id) { return used[static_cast<std::size_t>(id)]; });
    if (!alive[i]) continue;
    for (const ValueId id : node.inputs) use(id);
  }
  Rewriter rewriter(graph);
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (alive[i]) rewriter.keep(graph.nodes()[i]);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
