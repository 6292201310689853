#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// The graph without the nodes whose results nobody uses.
Graph remove_dead_nodes(const Graph& graph);

}  // namespace rhyton::graph
