#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Fuses a convolution without an activation with the factor and the summand of each channel behind it, and with a ReLU
/// or ReLU6 that follows, where intermediate results are unused elsewhere: a batch normalization with known moments
/// then needs no pass over the images. Runs after `expand_batch_normalization`.
Graph fuse_channel_scales(const Graph& graph);

}  // namespace rhyton::graph
