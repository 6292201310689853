#pragma once

#include <span>

#include <rhyton/framework/ops/elementwise_chain.h>

namespace rhyton::gpu {

/// Whether an op can be a member of a chain of the GPU's kernel: used by the pass that fuses ops.
bool can_chain(const Op& member, std::span<const TensorSpec> inputs, const TensorSpec& output);

/// The maximum numbers of inputs and members of a chain.
inline constexpr int max_chain_inputs = 16;
inline constexpr int max_chain_members = 32;

/// Whether the GPU's kernel can run a chain: its members are supported, and they and its inputs are not too many.
bool chain_is_supported(const ElementwiseChainOp& op);

}  // namespace rhyton::gpu
