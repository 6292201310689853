#include <rhyton/framework/graph/passes/drop_broadcasts.h>

#include <rhyton/framework/ops/elementwise_op.h>
#include <rhyton/framework/ops/op_kind.h>

namespace rhyton::graph {
namespace {

bool is_broadcast(const Graph& graph, ValueId id) {
  const NodeId producer = graph.value(id).producer;
  return producer >= 0 && is_broadcast_to(*graph.node(producer).op);
}

}  // namespace

Graph drop_broadcasts(const Graph& graph) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (dynamic_cast<const ElementwiseOp*>(node.op.get()) == nullptr || node.inputs.size() < 2) {
      rewriter.keep(node);
      continue;
    }
    std::vector<ValueId> inputs = node.inputs;
    for (ValueId& input : inputs) {
      if (!is_broadcast(graph, input)) continue;
      const ValueId spread = input;
      input = graph.node(graph.value(spread).producer).inputs[0];
      if (!(node.op->infer(graph.specs_of(inputs)) == graph.specs_of(node.outputs))) input = spread;
    }
    const NodeId fresh = rewriter.target().add_node(node.op, rewriter.mapped(inputs), graph.specs_of(node.outputs));
    rewriter.map(node.outputs[0], rewriter.target().node(fresh).outputs[0]);
  }
  return rewriter.finish();
}

}  // namespace rhyton::graph
