#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Replaces the sum of the gradients of weights that are multiplied with several times, as in each step of a loop, by
/// one op that adds the products where it computes them.
Graph sum_kernel_gradients(const Graph& graph);

}  // namespace rhyton::graph
