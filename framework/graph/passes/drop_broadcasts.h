#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Elementwise ops broadcast by themselves: they read what was to be spread to a result's shape, as gradients of sums
/// are, where another input gives the result its shape.
Graph drop_broadcasts(const Graph& graph);

}  // namespace rhyton::graph
