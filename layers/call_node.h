#pragma once

#include <memory>

#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::layers {

/// The node as symbolic tensors hold it. A chain of calls of any length is released without recursion: the inputs of a
/// node whose last tensor goes wait until the node itself is gone.
std::shared_ptr<const CallNode> share_node(CallNode node);

}  // namespace rhyton::layers
