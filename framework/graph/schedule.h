#pragma once

#include <vector>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// A run of nodes between two barriers.
struct Phase {
  /// True when each slice of the batch goes through all nodes by itself; false when whole tensors go through waves.
  bool sliced = false;
  /// In the order of the graph; nodes that only give an input another shape are left out.
  std::vector<NodeId> nodes;
  /// For a phase of whole tensors: nodes of one wave do not depend on each other. Empty for a sliced one.
  std::vector<std::vector<NodeId>> waves;
  /// The first point of time of this phase; a sliced phase lasts one, another as many as it has waves.
  int first_time = 0;
};

/// When each node runs.
struct Schedule {
  std::vector<Phase> phases;
  /// Per node: the phase it is in, -1 for nodes that are not run.
  std::vector<int> phase;
  /// Per node: its point of time.
  std::vector<int> time;
  /// One past the last point of time.
  int end_time = 0;
};

/// Cuts the graph into as few phases as the batch rules allow: a barrier stands only where an op needs the whole batch,
/// or what has been summed over it. `stages` has one entry per node, at least those of the nodes it waits for, and
/// cuts the run into stages, one after the other; empty for one stage.
Schedule make_schedule(const Graph& graph, const BatchAnalysis& batch, const std::vector<int>& stages = {});

/// One phase of whole tensors, the nodes one after the other in the order of the graph, but for those at its two ends,
/// where equal ops stand side by side, so that a device can do them together. Last come those that no other node reads,
/// such as an optimizer's, and before them what only they read, where little or nothing has to be kept for it:
/// gradients cast for the optimizer, where no sum over replicas and no penalty comes between, gradients of scales,
/// updates that moving averages read. First comes what is made from one variable each and not larger: weights cast to a
/// half type.
Schedule make_sequential_schedule(const Graph& graph);

}  // namespace rhyton::graph
