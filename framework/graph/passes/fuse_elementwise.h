#pragma once

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {

/// Joins elementwise ops that hand their results to each other into chains, each of which goes over memory once
/// (`ops/elementwise_chain.h`). Members have results of one shape, run in one phase and carry the batch alike; their
/// other inputs have that shape, are single elements, rows along its last axes (a bias) or columns along its first ones
/// (a mean). Small tensors are left as they are. To run after the passes that look for single elementwise ops.
Graph fuse_elementwise(const Graph& graph);

/// The same for a device whose kernels are in `kernels` and see whole tensors: small tensors are joined too, since each
/// call costs its start, and single elements that no other op reads are joined although nothing connects them. Chains
/// that its kernel for them does not accept stay apart.
Graph fuse_elementwise_for(const Graph& graph, const KernelTable& kernels);

}  // namespace rhyton::graph
