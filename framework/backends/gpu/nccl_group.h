#pragma once

#include <memory>
#include <span>
#include <string>

#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/ops/communicator.h>

namespace rhyton::gpu {

/// What names a new group of GPUs: the bytes of an ncclUniqueId, which one member makes and all are told. Throws
/// NotFoundError where there is no NCCL.
std::string make_communicator_id();

/// Joins the group of that id with a GPU, as `rank` of `size` (see NcclCommunicator). Waits until all members have
/// come, so each has a thread of its own.
std::shared_ptr<Communicator> join_communicator(LogicalDevice& device, const std::string& id, int size, int rank);

/// Whether these GPUs of the process can be members of one group: not if two of them are of one card.
bool can_join(std::span<LogicalDevice* const> devices);

}  // namespace rhyton::gpu
