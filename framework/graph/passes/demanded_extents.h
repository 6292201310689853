#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Computes only those rows and columns of images [N, H, W, C] that are read: a pooling without padding, a convolution
/// or a slice may ignore the last ones, and so their gradients are zero there. Demand is propagated backward from these
/// ops, zeros forward through the derivatives, and both shrink the values between. No value changes; sums over pixels
/// that exclude zeros may round differently.
Graph shrink_to_demanded_extents(const Graph& graph);

}  // namespace rhyton::graph
