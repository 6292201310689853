#pragma once

#include <vector>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// A run of nodes between two barriers.
struct Phase {
  /// True when each slice of the batch passes through all nodes separately; false when whole tensors are computed in
  /// waves.
  bool sliced = false;
  /// In the order of the graph, without nodes that only reshape an input.
  std::vector<NodeId> nodes;
  /// For a phase of whole tensors: nodes of one wave do not depend on each other. Empty for a sliced phase.
  std::vector<std::vector<NodeId>> waves;
  /// The first point of time of this phase; a sliced phase takes one, any other as many as it has waves.
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

/// Divides the graph into as few phases as the batch rules allow: there is a barrier only before an op that needs the
/// whole batch, or a sum over it. `stages` has one entry per node, at least those of the nodes it waits for, and
/// divides the run into stages, one after the other; empty for one stage.
Schedule make_schedule(const Graph& graph, const BatchAnalysis& batch, const std::vector<int>& stages = {});

/// One phase of whole tensors, the nodes one after the other in the order of the graph, except at its two ends, where
/// equal ops are adjacent so that a device can batch them. Last are the nodes without readers, such as an optimizer's,
/// and before them the nodes that only those read, if that keeps little or no memory longer: gradients cast for the
/// optimizer (unless a sum over replicas or a penalty comes between), gradients of scales, updates that moving averages
/// read. First are nodes that read one variable each and are not larger: weights cast to a half type.
Schedule make_sequential_schedule(const Graph& graph);

}  // namespace rhyton::graph
