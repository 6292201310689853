#pragma once

#include <cstdint>
#include <vector>

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// How an output of a node is computed with respect to the batch.
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
  /// Per value; inputs, constants and variables are whole.
  std::vector<Execution> execution;
  /// Per node: whether it runs on slices. All outputs of a node do, or none.
  std::vector<bool> sliced;

  bool is_sliced(NodeId node) const { return sliced[static_cast<std::size_t>(node)]; }
  Execution execution_of(ValueId value) const { return execution[static_cast<std::size_t>(value)]; }
  bool maps(ValueId value) const { return execution_of(value) == Execution::maps; }
  bool sums(ValueId value) const { return execution_of(value) == Execution::sums; }
  /// Whether an output of the node is a sum over slices.
  bool sums_any(const Node& node) const;
  /// The rows of each sample in a tensor of that shape that carries the batch on its first axis: T if it is [B T, ...].
  std::int64_t rows_per_sample(const Shape& shape) const { return shape[0] / batch; }

  /// Runs the node on whole tensors.
  void run_whole(const Graph& graph, NodeId node);
};

/// The analysis that runs every node on whole tensors, whether or not there is a batch.
BatchAnalysis without_batch(const Graph& graph);

/// Propagates the batch axis from the inputs, and from variables that carry the batch, through every node by the ops'
/// batch rules.
BatchAnalysis analyze_batch(const Graph& graph);

}  // namespace rhyton::graph
