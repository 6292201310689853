#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Replaces batch normalisation by its elementwise form, x · factor + offset, and its gradient by a linear function of
/// dy and x, so that they are fused with the neighbouring elementwise ops. Values per channel are computed once per
/// channel.
Graph expand_batch_normalization(const Graph& graph);

}  // namespace rhyton::graph
