#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Fuses a convolution, with its bias and activation, and the max-pooling that is its only reader into one node, which
/// never writes the convolution's whole output. ReLU's derivative is encoded in the index of the pooling, whose own
/// derivative then includes it. Exact, bit for bit. Runs after `fuse_epilogues`.
Graph fuse_max_pooling(const Graph& graph);

}  // namespace rhyton::graph
