#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Fuses a convolution or matrix product with the bias that is added to it and the ReLU that follows, where
/// intermediate results are unused elsewhere. A reshape between them, as in Conv1D, follows the fused op.
Graph fuse_epilogues(const Graph& graph);

}  // namespace rhyton::graph
