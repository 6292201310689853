#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// The graph without the nodes whose results nobody uses. A sum over replicas that is begun is finished too, used or
/// not: until then it is under way in its memory.
Graph remove_dead_nodes(const Graph& graph);

}  // namespace rhyton::graph
