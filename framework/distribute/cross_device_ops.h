#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/device/logical_device.h>

namespace rhyton::distribute {

/// How replicas of one process sum (`tf.distribute.CrossDeviceOps`). All give the same result; additions are in the
/// order of the replicas, except for NCCL's, which has a fixed order of its own.
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

/// Sums in one memory, from which every replica reads the result. On CPUs every replica's thread adds its share of the
/// elements.
class ReductionToOneDevice : public CrossDeviceOps {
 public:
  ReductionToOneDevice() : CrossDeviceOps(Kind::reduction_to_one_device) {}
};

/// Every replica sums a part and sends it to the others.
class HierarchicalCopyAllReduce : public CrossDeviceOps {
 public:
  /// `num_packs`: the number of pieces that gradients are packed into. Throws ValueError when it is negative.
  explicit HierarchicalCopyAllReduce(int num_packs = 1);
};

/// Sums with NCCL, on GPUs.
class NcclAllReduce : public CrossDeviceOps {
 public:
  /// As HierarchicalCopyAllReduce's.
  explicit NcclAllReduce(int num_packs = 1);
};

/// TensorFlow's choice for these devices, with its warnings: NCCL where every device is a separate GPU and NCCL is
/// available, else a reduction to one device. `processes`: the number of processes with such devices.
CrossDeviceOps select_cross_device_ops(const std::vector<LogicalDevice*>& devices, int processes = 1);

}  // namespace rhyton::distribute
