#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Fuses a batch normalisation with the tensor of its shape that is added to it, as at the end of a residual block, and
/// with the ReLU that follows, where intermediate results are unused elsewhere. Where nothing is added, ReLU's
/// derivative is fused into those of the normalisation, if it has no other reader.
Graph fuse_batch_normalization(const Graph& graph);

}  // namespace rhyton::graph
