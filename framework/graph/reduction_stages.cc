#include <rhyton/framework/graph/reduction_stages.h>

#include <algorithm>

#include <rhyton/framework/graph/node_kind.h>
#include <rhyton/framework/ops/overlapped_reductions.h>

namespace rhyton::graph {
namespace {

constexpr int none = -1;

/// Assigns the stage to a node and to everything it waits for that has none yet.
void claim(const Graph& graph, NodeId node, int stage, std::vector<int>& stages) {
  std::vector<NodeId> waiting{node};
  while (!waiting.empty()) {
    const NodeId next = waiting.back();
    waiting.pop_back();
    if (next < 0 || stages[static_cast<std::size_t>(next)] != none) continue;
    stages[static_cast<std::size_t>(next)] = stage;
    for (const ValueId input : graph.node(next).inputs) waiting.push_back(graph.value(input).producer);
  }
}

}  // namespace

std::vector<int> reduction_stages(const Graph& graph) {
  std::vector<int> stages(graph.nodes().size(), none);
  int next = 0;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (is_a<BeginAllReduceOp>(graph.nodes()[i])) claim(graph, static_cast<NodeId>(i), next++, stages);
  }
  if (next == 0) return {};

  const int without_sums = next++;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (stages[i] != none) continue;
    const Node& node = graph.nodes()[i];
    stages[i] = is_a<FinishAllReduceOp>(node) ? next++ : without_sums;
    for (const ValueId input : node.inputs) {
      const NodeId producer = graph.value(input).producer;
      if (producer >= 0) stages[i] = std::max(stages[i], stages[static_cast<std::size_t>(producer)]);
    }
  }
  return stages;
}

}  // namespace rhyton::graph
