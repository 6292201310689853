#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::layers {

/// Numbers the calls, so that the calls of one layer can be sorted.
inline std::uint64_t next_call_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// One call of a layer on symbolic tensors. Functional models are made from these calls, and `config.json` holds them.
struct CallNode {
  std::shared_ptr<LayerImpl> layer;
  /// The symbolic tensors among the arguments, in the order of `for_each_leaf`.
  std::vector<SymbolicTensor> inputs;
  /// The arguments, with an empty symbolic tensor in place of each of `inputs`.
  CallArguments arguments;
  std::vector<TensorSpec> outputs;
  /// The masks of the outputs, empty for none; fewer than outputs if the last ones have none.
  std::vector<SymbolicTensor> masks = {};
  /// The `training` argument of the call (`base(x, training=False)`); empty if it was not given.
  std::optional<bool> training = std::nullopt;
  /// The device of the DeviceScope around the call; null outside of any.
  LogicalDevice* device = nullptr;
  std::uint64_t serial = next_call_serial();

  /// The arguments with these tensors, one per input, in their places.
  CallArguments arguments_with(const std::vector<Tensor>& tensors) const;
};

/// The outputs of a call, with their masks.
std::vector<SymbolicTensor> outputs_of(const std::shared_ptr<const CallNode>& node);

/// Shares a node between symbolic tensors, and tells its layer of the call. A chain of calls of any length is released
/// without recursion: the inputs of a node whose last tensor is destroyed are released after the node itself.
std::shared_ptr<const CallNode> share_node(CallNode node);

}  // namespace rhyton::layers
