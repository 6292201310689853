#pragma once

#include <vector>

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Which nodes read each value of a graph.
class Readers {
 public:
  explicit Readers(const Graph& graph);

  /// In the order of the nodes; a node that reads a value twice is listed twice.
  const std::vector<NodeId>& of(ValueId value) const { return readers_[static_cast<std::size_t>(value)]; }
  /// Whether the value is a result of the graph: an output or a variable's new value.
  bool leaves(ValueId value) const { return leaves_[static_cast<std::size_t>(value)]; }
  /// The only node that reads the value; -1 when there are more, or the value is a result of the graph.
  NodeId only(ValueId value) const { return !leaves(value) && of(value).size() == 1 ? of(value)[0] : -1; }

 private:
  std::vector<std::vector<NodeId>> readers_;
  std::vector<bool> leaves_;
};

/// The node's op if it is of that class, or null.
template <class O>
const O* op_as(const Node& node) {
  return dynamic_cast<const O*>(node.op.get());
}

}  // namespace rhyton::graph
