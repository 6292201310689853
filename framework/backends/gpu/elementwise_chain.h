#pragma once

#include <span>

#include <rhyton/framework/ops/elementwise_chain.h>

namespace rhyton::gpu {

/// Whether an op can be a member of a chain that the GPU's kernel runs: what fuses ops asks before it does.
bool can_chain(const Op& member, std::span<const TensorSpec> inputs, const TensorSpec& output);

/// How many inputs and members a chain may have.
inline constexpr int most_chain_inputs = 16;
inline constexpr int most_chain_members = 32;

/// Whether the GPU's kernel can run a chain of elements: its members can be, and they and its inputs are not too many.
bool chain_is_supported(const ElementwiseChainOp& op);

}  // namespace rhyton::gpu
