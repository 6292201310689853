#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Divides large sums over replicas whose communicator can run them in the background (`Communicator::overlaps`) into
/// buckets, each begun when its tensors are computed and finished when its sums are needed: gradients of the last
/// layers are transferred while those of the first are computed. A sum that a communicator keeps whole
/// (`Communicator::buckets_of`) is unchanged.
///
/// Runs after `join_reductions`, and before the passes that depend on the size of the batch, which may differ between
/// replicas. A sum's buckets begin in the order of its tensors, the last first, and after all sums that precede it in
/// the graph: an order that depends only on the code and is the same at every replica.
Graph bucket_reductions(const Graph& graph);

}  // namespace rhyton::graph
