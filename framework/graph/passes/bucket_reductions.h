#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Cuts large sums over replicas whose communicator can go on by itself (`Communicator::overlaps`) into buckets, each
/// begun when its tensors are there and finished when its sums are wanted: so that gradients of the last layers travel
/// while those of the first are computed. The buckets take the tensors in the order in which the graph computes them,
/// and every replica begins them in that order. Where a communicator keeps a sum whole (`Communicator::buckets_of`) it
/// only gets that order. Tensors whose sums nobody reads are left out.
///
/// Runs before the passes that look at the size of the batch, which need not be the same for all replicas.
Graph bucket_reductions(const Graph& graph);

}  // namespace rhyton::graph
