#include <rhyton/framework/distribute/cross_device_ops.h>

#include <gtest/gtest.h>

#include <string>

#include <rhyton/framework/distribute/mirrored_strategy.h>
#include <rhyton/framework/distribute/named_devices.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/distribute/training_setup.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::distribute {
namespace {

using test::message_of;

TEST(CrossDeviceOps, HaveTensorFlowsNames) {
  EXPECT_EQ(ReductionToOneDevice().name(), "ReductionToOneDevice");
  EXPECT_EQ(HierarchicalCopyAllReduce().name(), "HierarchicalCopyAllReduce");
  EXPECT_EQ(NcclAllReduce().name(), "NcclAllReduce");
}

TEST(CrossDeviceOps, KnowTheirPacks) {
  EXPECT_EQ(HierarchicalCopyAllReduce().num_packs(), 1);
  EXPECT_EQ(HierarchicalCopyAllReduce(0).num_packs(), 0);
  EXPECT_EQ(NcclAllReduce(3).num_packs(), 3);
}

TEST(CrossDeviceOps, RefuseANegativeNumberOfPacks) {
  EXPECT_EQ(message_of<ValueError>([] { NcclAllReduce ops(-1); }),
            "NCCL all-reduce requires num_packs >= 0, but -1 is specified");
  EXPECT_EQ(message_of<ValueError>([] { HierarchicalCopyAllReduce ops(-3); }),
            "HierarchicalCopy all-reduce requires num_packs >= 0, but -3 is specified");
}

TEST(CrossDeviceOps, OfCpusReduceToOneDevice) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(select_cross_device_ops(devices_named(logical_cpus(2))).kind(),
            CrossDeviceOps::Kind::reduction_to_one_device);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "WARNING:rhyton:There are non-GPU devices in `distribute::Strategy`, not using nccl allreduce.\n");
}

TEST(CrossDeviceOps, OfOneCpuNeedNoWarning) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(select_cross_device_ops(devices_named(logical_cpus(1))).name(), "ReductionToOneDevice");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(CrossDeviceOps, AreTheStrategysChoiceOrOnesOwn) {
  EXPECT_EQ(MirroredStrategy(logical_cpus(2)).cross_device_ops().name(), "ReductionToOneDevice");
  const MirroredStrategy strategy({.devices = logical_cpus(2), .cross_device_ops = HierarchicalCopyAllReduce(2)});
  EXPECT_EQ(strategy.cross_device_ops().name(), "HierarchicalCopyAllReduce");
  EXPECT_EQ(strategy.cross_device_ops().num_packs(), 2);
}

}  // namespace
}  // namespace rhyton::distribute
