#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Writes batch normalisation as what it is for each element, x · factor + offset, and its gradient as a line in dy and
/// x, so that they join the chains of the ops around them. What is per channel is computed once per channel.
Graph expand_batch_normalization(const Graph& graph);

}  // namespace rhyton::graph
