#pragma once

#include <vector>

#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/graph.h>
#include <rhyton/framework/graph/schedule.h>

namespace rhyton::graph {

/// The readers of a value, and how long it is needed.
struct Lifetime {
  /// The executed nodes that read it, directly or through a reshape.
  std::vector<NodeId> readers;
  /// The last point of time of the schedule at which it is needed.
  int last_time = 0;
  /// True when it is an output or the new value of a variable.
  bool is_kept = false;
  /// True when slices of it are computed and used within one phase, so that no whole tensor has to exist.
  bool is_local = false;
  /// For local values: the position of the last reader in its phase.
  int last_position = 0;
};

/// The lifetimes of a graph's values under a schedule.
struct Lifetimes {
  /// Per value: the value whose memory it uses; itself unless it is the output of a reshape.
  std::vector<ValueId> root;
  /// Per value, meaningful for roots.
  std::vector<Lifetime> lives;

  const Lifetime& of(ValueId id) const { return lives[static_cast<std::size_t>(root[static_cast<std::size_t>(id)])]; }
};

Lifetimes find_lifetimes(const Graph& graph, const BatchAnalysis& batch, const Schedule& schedule);

}  // namespace rhyton::graph
