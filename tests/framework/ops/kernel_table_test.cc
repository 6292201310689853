#include <rhyton/framework/ops/kernel_table.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

TEST(KernelTable, ATypeOfDeviceHasTheTableThatWasRegisteredForIt) {
  EXPECT_EQ(&kernels_for("CPU"), &cpu_kernels());
  KernelTable& registered = register_kernel_table("XPU");
  EXPECT_EQ(&kernels_for("XPU"), &registered);
  EXPECT_EQ(&register_kernel_table("XPU"), &registered);
  EXPECT_NE(&registered, &cpu_kernels());
}

TEST(KernelTable, ATypeOfDeviceThatNoBackendKnowsHasNone) {
  try {
    kernels_for("TPU");
    FAIL() << "Nothing was thrown.";
  } catch (const NotFoundError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("devices of type \"TPU\""));
  }
}

}  // namespace
}  // namespace rhyton
