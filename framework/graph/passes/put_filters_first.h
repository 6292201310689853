#pragma once

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {

/// Where the device's kernels want kernels of convolutions with filters first (`ops/filters_first.h`), turns each
/// kernel once for all convolutions and gradients that read it, and gradients back, by nodes of their own: these stand
/// side by side for all layers, where a convolution that does it by itself waits for it each time.
Graph put_filters_first(const Graph& graph, const KernelTable& kernels);

}  // namespace rhyton::graph
