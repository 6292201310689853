#pragma once

#include <functional>

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/tracing.h>

namespace rhyton::graph {

/// Copies the graph, with some nodes replaced. `replacement` returns for a node the function of its inputs that
/// computes its outputs, or an empty one to keep the node.
Graph replace_nodes(const Graph& graph, const std::function<Function(const Node&)>& replacement);

}  // namespace rhyton::graph
