#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Writes batch normalisation as what it is for each element, x · factor + offset, so that it joins the chain of the
/// ops around it. Factor and offset are computed once per channel.
Graph expand_batch_normalization(const Graph& graph);

}  // namespace rhyton::graph
