#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Joins sums over replicas that do not depend on each other into one, so that a step has as few synchronization points
/// as possible: one for its gradients, metrics and moving averages. Nodes that can run before a synchronization point
/// precede it, so that two replicas with the same function have the same order of synchronization points.
Graph join_reductions(const Graph& graph);

}  // namespace rhyton::graph
