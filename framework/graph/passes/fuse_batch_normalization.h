#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Joins a batch normalisation with the tensor of its shape that is added to it, as at the end of a residual block, and
/// with the ReLU that follows, where nobody else uses what lies between them. Where nothing is added, the derivatives
/// of the normalisation take over ReLU's, where nobody else reads it.
Graph fuse_batch_normalization(const Graph& graph);

}  // namespace rhyton::graph
