#pragma once

#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::graph {

/// Computes the derivatives of a convolution that is followed by a max-pooling from the pooled gradient and the
/// pooling's index, instead of from a gradient that is zero almost everywhere: those for which there are kernels that
/// accept them. Apart from the order and the rounding of sums, only pixels that are not finite and that no window
/// selects make a difference: times a gradient of zero they give NaN.
Graph use_pooled_gradients(const Graph& graph, const KernelTable& kernels);

}  // namespace rhyton::graph
