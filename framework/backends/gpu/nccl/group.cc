#include <rhyton/framework/backends/gpu/nccl/group.h>

#include <set>

#include <rhyton/framework/backends/gpu/nccl/communicator.h>
#include <rhyton/framework/error.h>

namespace rhyton::gpu {

#if __has_include(<nccl.h>)

std::string make_communicator_id() {
  const NcclLibrary& nccl = nccl_library();
  ncclUniqueId id;
  const ncclResult_t result = nccl.get_unique_id(&id);
  if (result != ncclSuccess) {
    throw RuntimeError("ncclGetUniqueId failed with " + nccl_error_text(nccl, result, nullptr) + ".");
  }
  return {id.internal, sizeof id.internal};
}

std::shared_ptr<Communicator> join_communicator(LogicalDevice& device, const std::string& id, int size, int rank) {
  return std::make_shared<NcclCommunicator>(id, size, rank, device);
}

#else

namespace {

constexpr const char* no_nccl =
    "Nccl kernel is not found, not using nccl allreduce. Rhyton was built without NCCL's header, nccl.h.";

}  // namespace

std::string make_communicator_id() { throw NotFoundError(no_nccl); }

std::shared_ptr<Communicator> join_communicator(LogicalDevice&, const std::string&, int, int) {
  throw NotFoundError(no_nccl);
}

#endif

bool can_join(std::span<LogicalDevice* const> devices) {
  std::set<int> cards;
  for (const LogicalDevice* const device : devices) {
    if (!cards.insert(device->physical_index()).second) return false;
  }
  return true;
}

}  // namespace rhyton::gpu
