#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include <rhyton/framework/backends/gpu/runtime/module.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/device_runtime.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>

#ifdef RHYTON_CUDA_EMULATION
#include <emulator.h>
#endif

namespace rhyton::gpu {

bool is_emulated() {
#ifdef RHYTON_CUDA_EMULATION
  return true;
#else
  return false;
#endif
}

LogicalDevice& first_gpu() { return *config::list_logical_devices("GPU").at(0); }
LogicalDevice& second_gpu() { return *config::list_logical_devices("GPU").at(1); }
LogicalDevice& small_gpu() { return *config::list_logical_devices("GPU").at(2); }
LogicalDevice& cpu() { return *config::list_logical_devices("CPU").at(0); }

GpuStream& test_stream() {
  // Never destroyed: at the end of the program the libraries whose handles it owns may already be unloaded.
  static GpuStream& stream = *std::make_unique<GpuStream>(0).release();
  return stream;
}

namespace {

/// Outside of their own scopes tests run on the CPU, so that expected values never come from the GPU; their calls of
/// CUDA use the first card, regardless of the previous test.
class OnTheCpu final : public ::testing::EmptyTestEventListener {
 public:
  void OnTestStart(const ::testing::TestInfo&) override {
    scope_.emplace(cpu());
    test_stream().make_current();
  }
  void OnTestEnd(const ::testing::TestInfo&) override { scope_.reset(); }

 private:
  std::optional<DeviceScope> scope_;
};

/// Must be called when the runtime has seen its only card: tests of several cards add more of them, and NCCL, which is
/// part of this program.
void extend_emulation() {
#ifdef RHYTON_CUDA_EMULATION
  cuda_emulation::set_device_count(4);
  setenv("RHYTON_NCCL_LIBRARY", "", 1);
#endif
}

}  // namespace
}  // namespace rhyton::gpu

int main(int argc, char** argv) {
  // The module is part of this program. It must be loaded before the tests' parameters, some of which are tensors.
  setenv("RHYTON_GPU_MODULE", "", 1);
  const char* const problem = rhyton_register_gpu_module(&rhyton::device_runtime());
  rhyton::gpu::extend_emulation();
  ::testing::InitGoogleTest(&argc, argv);
  if (problem != nullptr) {
    std::printf("No GPU is used: %s\n", problem);
    std::printf("[  SKIPPED ] %d tests.\n", ::testing::UnitTest::GetInstance()->total_test_count());
    return 0;
  }
  const std::int64_t megabytes = rhyton::gpu::is_emulated() ? 256 : 8192;
  const auto gpu = rhyton::config::list_physical_devices("GPU").at(0);
  rhyton::config::set_logical_device_configuration(
      gpu, {{.memory_limit = megabytes}, {.memory_limit = megabytes}, {.memory_limit = 24}});
  ::testing::UnitTest::GetInstance()->listeners().Append(std::make_unique<rhyton::gpu::OnTheCpu>().release());
  return RUN_ALL_TESTS();
}
