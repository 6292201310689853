#pragma once

#include <cstdint>
#include <vector>

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// How a node is executed with respect to the batch.
enum class Execution {
  /// Once, on whole tensors.
  whole,
  /// On slices of the batch, each separately.
  maps,
  /// On slices of the batch, whose results are added up afterwards.
  sums,
};

/// Which tensors of a graph carry the batch.
struct BatchAnalysis {
  /// The number of samples; 0 when no input carries a batch on its first axis.
  std::int64_t batch = 0;
  /// Per value: the axis that carries the batch, -1 for none.
  std::vector<int> axis;
  /// Per node.
  std::vector<Execution> execution;

  bool is_sliced(NodeId node) const { return execution[static_cast<std::size_t>(node)] != Execution::whole; }
};

/// The analysis that runs every node on whole tensors, whether or not there is a batch.
BatchAnalysis without_batch(const Graph& graph);

/// Propagates the batch axis from the inputs through every node by the ops' batch rules.
BatchAnalysis analyze_batch(const Graph& graph);

}  // namespace rhyton::graph
