#pragma once

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {

/// Fuses elementwise ops that read each other's results into chains, each of which reads and writes memory once
/// (`ops/elementwise_chain.h`). Members have results of one shape, run in one phase and carry the batch alike; their
/// other inputs have that shape, or are single elements, rows along its last axes (a bias) or columns along its first
/// ones (a mean). Small tensors are unchanged. Runs after the passes that search for single elementwise ops.
Graph fuse_elementwise(const Graph& graph);

/// The same for a device whose kernels are in `kernels` and run on whole tensors: ops on small tensors are fused too,
/// since each call has a fixed cost, and so are ops on single elements without other readers, even if they do not read
/// each other's results. Chains that the device's kernel for them does not accept stay separate ops.
Graph fuse_elementwise_for(const Graph& graph, const KernelTable& kernels);

}  // namespace rhyton::graph
