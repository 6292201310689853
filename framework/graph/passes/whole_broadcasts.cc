#include <rhyton/framework/graph/passes/whole_broadcasts.h>

#include <vector>

#include <rhyton/framework/graph/passes/replace_nodes.h>
#include <rhyton/framework/ops/op_kind.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::graph {

Graph whole_broadcasts(const Graph& graph) {
  return replace_nodes(graph, [](const Node& node) -> Function {
    if (!is_broadcast_like(*node.op)) return {};
    return [](const std::vector<Tensor>& in) { return std::vector<Tensor>{broadcast_to(in[0], in[1].shape())}; };
  });
}

}  // namespace rhyton::graph
