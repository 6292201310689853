#pragma once

#include <rhyton/framework/graph/graph.h>

namespace rhyton::graph {

/// Whether the node's op has that class: `is_a<AllReduceOp>(node)`.
template <class O>
bool is_a(const Node& node) {
  return dynamic_cast<const O*>(node.op.get()) != nullptr;
}

}  // namespace rhyton::graph
