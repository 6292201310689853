#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Joins sums over replicas that do not wait for each other into one, so that the replicas meet as seldom as they can:
/// once for the gradients, metrics and moving averages of a step. What is computed before a meeting comes before it,
/// so that two replicas whose functions were the same meet in the same order.
Graph join_reductions(const Graph& graph);

}  // namespace rhyton::graph
