#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Removes the nodes whose results are unused. A sum over replicas that is begun is finished too, used or not: until
/// then it accesses its memory.
Graph remove_dead_nodes(const Graph& graph);

}  // namespace rhyton::graph
