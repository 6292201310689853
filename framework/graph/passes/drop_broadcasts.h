#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Lets elementwise ops read a value before its broadcast, as in gradients of sums, where another input already gives
/// the result its shape: they broadcast themselves.
Graph drop_broadcasts(const Graph& graph);

}  // namespace rhyton::graph
