#include <rhyton/framework/graph/passes/dead_nodes.h>

#include <unordered_map>
#include <vector>

#include <rhyton/framework/graph/node_kind.h>
#include <rhyton/framework/ops/overlapped_reductions.h>

namespace rhyton::graph {
namespace {

/// By node that begins a sum: the node that finishes it.
std::unordered_map<NodeId, NodeId> finishes_of(const Graph& graph) {
  std::unordered_map<NodeId, NodeId> finishes;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (!is_a<FinishAllReduceOp>(node)) continue;
    finishes[graph.value(node.inputs.front()).producer] = static_cast<NodeId>(i);
  }
  return finishes;
}

std::vector<bool> nodes_in_use(const Graph& graph) {
  std::vector<NodeId> waiting;
  for (const ValueId id : graph.outputs) waiting.push_back(graph.value(id).producer);
  for (const Update& update : graph.updates) waiting.push_back(graph.value(update.value).producer);
  const std::unordered_map<NodeId, NodeId> finishes = finishes_of(graph);
  std::vector<bool> in_use(graph.nodes().size(), false);
  while (!waiting.empty()) {
    const NodeId id = waiting.back();
    waiting.pop_back();
    if (id < 0 || in_use[static_cast<std::size_t>(id)]) continue;
    in_use[static_cast<std::size_t>(id)] = true;
    for (const ValueId input : graph.node(id).inputs) waiting.push_back(graph.value(input).producer);
    if (const auto finish = finishes.find(id); finish != finishes.end()) waiting.push_back(finish->second);
  }
  return in_use;
}

}  // namespace

Graph remove_dead_nodes(const Graph& graph) {
  const std::vector<bool> in_use = nodes_in_use(graph);
  Rewriter rewriter(graph);
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (in_use[i]) rewriter.keep(graph.nodes()[i]);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
