// The messages when GPUs cannot be used; everything else keeps working.

#include <rhyton/framework/device/gpu_module.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/device/device_runtime.h>

namespace rhyton {
namespace {

class GpuModule : public ::testing::Test {
 protected:
  void SetUp() override { setenv("RHYTON_LOG", "device", 1); }
  void TearDown() override {
    unsetenv("RHYTON_LOG");
    unsetenv("RHYTON_GPU_MODULE");
  }
  static std::string log_of_listing() {
    DeviceRuntime runtime;
    runtime.add_discovery(&load_gpu_module);
    ::testing::internal::CaptureStderr();
    EXPECT_TRUE(runtime.physical_devices("GPU").empty());
    EXPECT_EQ(runtime.physical_devices("CPU").size(), 1U);
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(GpuModule, ThatIsMissingIsNamed) {
  setenv("RHYTON_GPU_MODULE", "no_such_folder/librhyton_gpu.so", 1);
  EXPECT_EQ(
      log_of_listing(),
      "No GPU is used: there is no module for GPUs at 'no_such_folder/librhyton_gpu.so'. Rhyton was built without "
      "CUDA.\n");
}

TEST_F(GpuModule, IsNotLoadedWithoutADriver) {
  if (std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg")) {
    GTEST_SKIP() << "This machine has a driver for GPUs.";
  }
  setenv("RHYTON_GPU_MODULE", "/proc/self/exe", 1);  // a file that exists, but is not a module
  EXPECT_EQ(log_of_listing(), "No GPU is used: this machine has no driver for NVIDIA GPUs.\n");
}

TEST_F(GpuModule, NothingIsSaidUnlessAskedFor) {
  unsetenv("RHYTON_LOG");
  setenv("RHYTON_GPU_MODULE", "no_such_folder/librhyton_gpu.so", 1);
  EXPECT_EQ(log_of_listing(), "");
}

}  // namespace
}  // namespace rhyton
