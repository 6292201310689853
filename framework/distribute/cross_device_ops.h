#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/device/logical_device.h>

namespace rhyton::distribute {

/// How replicas of one process sum (`tf.distribute.CrossDeviceOps`). All give the same result; the order of additions
/// is that of the replicas, but for NCCL's, which is NCCL's own and fixed.
class CrossDeviceOps {
 public:
  enum class Kind { reduction_to_one_device, hierarchical_copy, nccl };

  Kind kind() const { return kind_; }
  /// "ReductionToOneDevice".
  std::string name() const;
  int num_packs() const { return num_packs_; }

 protected:
  explicit CrossDeviceOps(Kind kind, int num_packs = 1) : kind_(kind), num_packs_(num_packs) {}

 private:
  Kind kind_;
  int num_packs_;
};

/// One memory is where the sum is made, and from where every replica has it. On CPUs every replica's thread adds its
/// share of the elements.
class ReductionToOneDevice : public CrossDeviceOps {
 public:
  ReductionToOneDevice() : CrossDeviceOps(Kind::reduction_to_one_device) {}
};

/// Every replica sums a part and sends it to the others.
class HierarchicalCopyAllReduce : public CrossDeviceOps {
 public:
  /// `num_packs`: into how many pieces gradients are packed. Throws ValueError where it is negative.
  explicit HierarchicalCopyAllReduce(int num_packs = 1);
};

/// NCCL does it, for GPUs.
class NcclAllReduce : public CrossDeviceOps {
 public:
  /// As HierarchicalCopyAllReduce's.
  explicit NcclAllReduce(int num_packs = 1);
};

/// The one that TensorFlow would take for these devices, with its warnings: NCCL where every device is a GPU of its
/// own card and NCCL is there, else a reduction to one device. `processes`: how many have such devices.
CrossDeviceOps select_cross_device_ops(const std::vector<LogicalDevice*>& devices, int processes = 1);

}  // namespace rhyton::distribute
