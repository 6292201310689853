#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Cuts large sums over replicas whose communicator can go on by itself (`Communicator::overlaps`) into buckets, each
/// begun when its tensors are there and finished when its sums are wanted: so that gradients of the last layers travel
/// while those of the first are computed. Where a communicator keeps a sum whole (`Communicator::buckets_of`) it stays
/// as it is.
///
/// Runs behind `join_reductions`, and before the passes that look at the size of the batch, which need not be the same
/// for all replicas. A sum's buckets begin in the order of its tensors, the last first, and behind all sums that stand
/// before it: an order that hangs on the code alone, the same at every replica.
Graph bucket_reductions(const Graph& graph);

}  // namespace rhyton::graph
