#include <rhyton/framework/distribute/mirrored_variables.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/named_devices.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/distribute/training_setup.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::distribute {
namespace {

using test::message_of;

std::vector<double> value_of(const Variable& variable) { return variable.stored_value().to_vector(); }

class MirroredVariablesTest : public testing::Test {
 protected:
  /// Sets variable and copies to the same value, as replicas do in a step.
  void step(double value) {
    for (int replica = 0; replica < 3; ++replica) {
      mirrored.of(variable, replica).set_stored_value(Tensor::full({2}, value));
    }
    mirrored.note_step({variable});
  }

  const std::vector<LogicalDevice*> devices = devices_named(logical_cpus(3));
  MirroredVariables mirrored{devices};
  const Variable variable{Tensor::full({2}, 1.0), {.trainable = false, .name = "kernel", .path = "dense/kernel"}};
};

TEST_F(MirroredVariablesTest, ReplicaZeroHasTheVariableItself) {
  EXPECT_TRUE(mirrored.of(variable, 0).is_same(variable));
  EXPECT_FALSE(mirrored.of(variable, 1).is_same(variable));
}

TEST_F(MirroredVariablesTest, TheOthersHaveCopiesOnTheirDevices) {
  for (int replica = 1; replica < 3; ++replica) {
    const Variable copy = mirrored.of(variable, replica);
    EXPECT_EQ(value_of(copy), (std::vector<double>{1, 1}));
    EXPECT_EQ(&copy.stored_value().device(), devices[static_cast<std::size_t>(replica)]);
    EXPECT_EQ(copy.path(), "dense/kernel/replica_" + std::to_string(replica));
    EXPECT_EQ(copy.name(), "kernel");
    EXPECT_FALSE(copy.trainable());
    EXPECT_TRUE(mirrored.of(variable, replica).is_same(copy)) << "a copy is made once";
  }
}

TEST_F(MirroredVariablesTest, CopiesAreRenewedWhereTheVariableWasAssigned) {
  const Variable copy = mirrored.of(variable, 2);
  variable.assign(Tensor::full({2}, 5.0));
  EXPECT_EQ(value_of(copy), (std::vector<double>{1, 1}));
  mirrored.renew({variable});
  EXPECT_EQ(value_of(copy), (std::vector<double>{5, 5}));
  EXPECT_EQ(&copy.stored_value().device(), devices[2]) << "it stays where it is";
}

TEST_F(MirroredVariablesTest, ACopyThatSomebodyElseHasAssignedIsRenewed) {
  const Variable copy = mirrored.of(variable, 1);
  copy.assign(Tensor::full({2}, 9.0));
  mirrored.renew({variable});
  EXPECT_EQ(value_of(copy), (std::vector<double>{1, 1}));
  EXPECT_EQ(value_of(variable), (std::vector<double>{1, 1}));
}

TEST_F(MirroredVariablesTest, WhatReplicasHaveWrittenIsNotCopied) {
  step(3.0);
  const Variable copy = mirrored.of(variable, 1);
  const std::uint64_t version = copy.version();
  mirrored.renew({variable});
  mirrored.renew_all();
  EXPECT_EQ(copy.version(), version);
  EXPECT_EQ(value_of(copy), (std::vector<double>{3, 3}));
}

TEST_F(MirroredVariablesTest, AllAreRenewedAndNotedAtOnce) {
  const Variable other(Tensor::zeros({1}));
  mirrored.mirror(variable);
  mirrored.mirror(other);
  variable.assign(Tensor::full({2}, 7.0));
  other.assign(Tensor::full({1}, 8.0));
  mirrored.renew_all();
  EXPECT_EQ(value_of(mirrored.of(variable, 1)), (std::vector<double>{7, 7}));
  EXPECT_EQ(value_of(mirrored.of(other, 2)), (std::vector<double>{8}));

  mirrored.of(other, 1).set_stored_value(Tensor::full({1}, 4.0));
  mirrored.note_step_of_all();
  mirrored.renew_all();
  EXPECT_EQ(value_of(mirrored.of(other, 1)), (std::vector<double>{4})) << "what was noted counts as equal";
}

TEST_F(MirroredVariablesTest, EqualCopiesPassTheCheck) {
  EXPECT_NO_THROW(mirrored.require_equal());
  step(2.0);
  EXPECT_NO_THROW(mirrored.require_equal());
  // Bits are compared, so NaN equals itself.
  step(std::numeric_limits<double>::quiet_NaN());
  EXPECT_NO_THROW(mirrored.require_equal());
}

TEST_F(MirroredVariablesTest, TheCheckNamesVariableAndReplica) {
  step(2.0);
  mirrored.of(variable, 2).set_stored_value(Tensor::from_data<float>({2}, {2.0F, 2.0000002F}));
  mirrored.note_step({variable});
  EXPECT_EQ(
      message_of<RuntimeError>([&] { mirrored.require_equal(); }),
      "Variable 'dense/kernel' of replica 2 is not equal to that of replica 0. Replicas must compute every update "
      "from sums over all of them.");
}

TEST_F(MirroredVariablesTest, TheCheckLeavesOutWhatWasAssignedSinceTheStep) {
  step(2.0);
  variable.assign(Tensor::full({2}, 6.0));
  EXPECT_NO_THROW(mirrored.require_equal()) << "the copies will be renewed";
}

}  // namespace
}  // namespace rhyton::distribute
