#pragma once

#include <memory>
#include <span>
#include <string>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/ops/communicator.h>

namespace rhyton::gpu {

/// A new identifier for a group of GPUs: the bytes of an ncclUniqueId, which one member creates and passes to all
/// others. Throws NotFoundError if there is no NCCL.
std::string make_communicator_id();

/// Joins the group of that identifier with a GPU, as `rank` of `size` (see NcclCommunicator). Blocks until all members
/// have joined, so each needs a thread of its own.
std::shared_ptr<Communicator> join_communicator(LogicalDevice& device, const std::string& id, int size, int rank);

/// Whether these GPUs of the process can be members of one group: not if two of them are on one card.
bool can_join(std::span<LogicalDevice* const> devices);

}  // namespace rhyton::gpu
