#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Computes of images [N, H, W, C] only the rows and columns that somebody reads: a pooling without padding, a
/// convolution or a slice may leave the last ones out, and so their gradients are zero there. Demand runs backward from
/// these, zeros run forward through the derivatives, and both shrink the values between. No value changes; sums over
/// pixels that left zeros out may round differently.
Graph shrink_to_demanded_extents(const Graph& graph);

}  // namespace rhyton::graph
