#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Computes mean and variance of channels from sums over the batch, which slices of it can add up: for plans that slice
/// the batch, where an op on the whole batch would end a phase.
Graph expand_channel_moments(const Graph& graph);

}  // namespace rhyton::graph
