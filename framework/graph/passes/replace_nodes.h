#pragma once

#include <functional>

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/tracing.h>

namespace rhyton::graph {

/// A copy of the graph in which other ops stand for some nodes. `replacement` gives for a node the function of its
/// inputs whose results are the node's outputs, or an empty one to keep it.
Graph replace_nodes(const Graph& graph, const std::function<Function(const Node&)>& replacement);

}  // namespace rhyton::graph
