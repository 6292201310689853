#pragma once

#include <vector>

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// In which stage of a run each node is to be, so that sums over replicas that were cut into buckets
/// (passes/bucket_reductions.h) are begun as early and waited for as late as can be; empty where there are none. Stages
/// run one after the other: first, for each BeginAllReduce, what it still waits for and itself; then what waits for no
/// sum; then, for each FinishAllReduce, itself and what waits for it, but for no later one.
///
/// Two replicas with the same sums begin them, and meet in whole ones between them, in the same order.
std::vector<int> reduction_stages(const Graph& graph);

}  // namespace rhyton::graph
