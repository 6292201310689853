#include <rhyton/framework/distribute/cross_device_ops.h>

#include <algorithm>

#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/logging.h>

namespace rhyton::distribute {
namespace {

int checked(const char* what, int num_packs) {
  if (num_packs >= 0) return num_packs;
  throw ValueError(std::string(what) + " all-reduce requires num_packs >= 0, but " + std::to_string(num_packs) +
                   " is specified");
}

}  // namespace

std::string CrossDeviceOps::name() const {
  switch (kind_) {
    case Kind::reduction_to_one_device:
      return "ReductionToOneDevice";
    case Kind::hierarchical_copy:
      return "HierarchicalCopyAllReduce";
    case Kind::nccl:
      break;
  }
  return "NcclAllReduce";
}

HierarchicalCopyAllReduce::HierarchicalCopyAllReduce(int num_packs)
    : CrossDeviceOps(Kind::hierarchical_copy, checked("HierarchicalCopy", num_packs)) {}

NcclAllReduce::NcclAllReduce(int num_packs) : CrossDeviceOps(Kind::nccl, checked("NCCL", num_packs)) {}

CrossDeviceOps select_cross_device_ops(const std::vector<LogicalDevice*>& devices, int processes) {
  if (devices.size() == 1 && processes == 1) return ReductionToOneDevice();
  const bool has_others =
      std::any_of(devices.begin(), devices.end(), [](const LogicalDevice* device) { return device->type() != "GPU"; });
  if (has_others) {
    log_warning("There are non-GPU devices in `distribute::Strategy`, not using nccl allreduce.");
    return ReductionToOneDevice();
  }
  DeviceProvider& provider = device_runtime().provider("GPU");
  if (!provider.can_join(devices)) {
    log_warning("NCCL is not supported when using virtual GPUs, fallingback to reduction to one device");
    return ReductionToOneDevice();
  }
  try {
    provider.make_communicator_id();
  } catch (const NotFoundError& error) {
    log_warning(error.what());
    return ReductionToOneDevice();
  }
  return NcclAllReduce();
}

}  // namespace rhyton::distribute
