#include <rhyton/framework/graph/passes/last_axis.h>

#include <utility>

#include <rhyton/framework/graph/node_kind.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::graph {

bool is_reshape_of_other_axes(const Graph& graph, const Node& node) {
  if (!is_a<ReshapeOp>(node)) return false;
  const Shape& before = graph.value(node.inputs[0]).spec.shape;
  const Shape& after = graph.value(node.outputs[0]).spec.shape;
  return before.rank() > 0 && after.rank() > 0 && before.at(-1) == after.at(-1);
}

void add_fused(Rewriter& rewriter, const OpPtr& op, std::vector<ValueId> inputs, const Node& first, const Node* reshape,
               const Node& last) {
  const Graph& source = rewriter.source();
  Graph& target = rewriter.target();
  const NodeId fused = target.add_node(op, std::move(inputs), source.specs_of(first.outputs));
  ValueId result = target.node(fused).outputs[0];
  // First to the node, then to what follows it: both get the layer's scope.
  rewriter.map(last.outputs[0], result);
  if (reshape == nullptr) return;
  const NodeId reshaped = target.add_node(reshape->op, {result}, source.specs_of(last.outputs));
  result = target.node(reshaped).outputs[0];
  rewriter.map(last.outputs[0], result);
}

}  // namespace rhyton::graph
