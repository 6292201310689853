#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Makes mean and variance of channels from sums over the batch, which slices of it can add up: for plans that cut the
/// batch, where an op that has to see it as a whole would end a phase.
Graph expand_channel_moments(const Graph& graph);

}  // namespace rhyton::graph
