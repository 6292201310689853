#pragma once

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {

/// For devices whose convolutions need the OHWI kernel layout (`ops/ohwi_convolution.h`): transposes each kernel once
/// for all convolutions and gradients that read it, and gradients back, in separate nodes. These are adjacent for all
/// layers, whereas a convolution that transposes its kernel itself waits for it each time.
Graph use_ohwi_kernels(const Graph& graph, const KernelTable& kernels);

}  // namespace rhyton::graph
