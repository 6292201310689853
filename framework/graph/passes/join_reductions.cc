#include <rhyton/framework/graph/passes/join_reductions.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/collectives.h>

namespace rhyton::graph {
namespace {

const AllReduceOp* as_reduction(const Node& node) { return dynamic_cast<const AllReduceOp*>(node.op.get()); }

/// The number of synchronization points before each node can run.
std::vector<int> synchronizations_before(const Graph& graph) {
  std::vector<int> of_value(graph.values().size(), 0);
  std::vector<int> of_node;
  for (const Node& node : graph.nodes()) {
    int before = 0;
    for (const ValueId input : node.inputs) before = std::max(before, of_value[static_cast<std::size_t>(input)]);
    of_node.push_back(before);
    const int after = as_reduction(node) != nullptr ? before + 1 : before;
    for (const ValueId output : node.outputs) of_value[static_cast<std::size_t>(output)] = after;
  }
  return of_node;
}

/// Adds one node for all of them, which have the same communicator.
void add_joined(Rewriter& rewriter, const std::vector<const Node*>& nodes) {
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  for (const Node* node : nodes) {
    inputs.insert(inputs.end(), node->inputs.begin(), node->inputs.end());
    outputs.insert(outputs.end(), node->outputs.begin(), node->outputs.end());
  }
  const std::vector<TensorSpec> specs = rewriter.source().specs_of(inputs);
  const NodeId joined = rewriter.target().add_node(
      std::make_shared<const AllReduceOp>(as_reduction(*nodes.front())->communicator), rewriter.mapped(inputs), specs);
  for (std::size_t i = 0; i < outputs.size(); ++i) rewriter.map(outputs[i], rewriter.target().node(joined).outputs[i]);
}

}  // namespace

Graph join_reductions(const Graph& graph) {
  const auto reductions = std::count_if(graph.nodes().begin(), graph.nodes().end(),
                                        [](const Node& node) { return as_reduction(node) != nullptr; });
  if (reductions < 2) return graph;
  const std::vector<int> before = synchronizations_before(graph);
  Rewriter rewriter(graph);
  for (int synchronization = 0; synchronization <= *std::max_element(before.begin(), before.end()); ++synchronization) {
    // By communicator, in the order of their first nodes.
    std::vector<std::vector<const Node*>> groups;
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
      const Node& node = graph.nodes()[i];
      if (before[i] != synchronization) continue;
      const AllReduceOp* const reduction = as_reduction(node);
      if (reduction == nullptr) {
        rewriter.keep(node);
        continue;
      }
      const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<const Node*>& nodes) {
        return as_reduction(*nodes.front())->communicator == reduction->communicator;
      });
      if (group == groups.end()) {
        groups.push_back({&node});
      } else {
        group->push_back(&node);
      }
    }
    for (const std::vector<const Node*>& group : groups) add_joined(rewriter, group);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
