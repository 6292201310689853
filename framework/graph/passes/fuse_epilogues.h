#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Joins a convolution or matrix product with the bias that is added to it and the ReLU that follows, where nobody else
/// uses what lies between them.
Graph fuse_epilogues(const Graph& graph);

}  // namespace rhyton::graph
