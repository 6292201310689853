#pragma once

#include <vector>

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// The stage of a run for each node, such that sums over replicas that were divided into buckets
/// (passes/bucket_reductions.h) are begun as early and waited for as late as possible; empty if there are none. Stages
/// run one after the other: first, for each BeginAllReduce, the nodes that it still waits for and itself; then the
/// nodes that wait for no sum; then, for each FinishAllReduce, itself and the nodes that wait for it, but for no later
/// one.
///
/// Two replicas with the same sums begin them, and reach whole ones between them, in the same order.
std::vector<int> reduction_stages(const Graph& graph);

}  // namespace rhyton::graph
