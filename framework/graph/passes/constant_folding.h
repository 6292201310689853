#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Precomputes every node whose inputs are all constants and whose result is small.
Graph fold_constants(const Graph& graph);

}  // namespace rhyton::graph
