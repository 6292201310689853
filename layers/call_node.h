#pragma once

#include <memory>

#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::layers {

/// Shares a node between symbolic tensors. A chain of calls of any length is released without recursion: the inputs of
/// a node whose last tensor is destroyed are released after the node itself.
std::shared_ptr<const CallNode> share_node(CallNode node);

}  // namespace rhyton::layers
