#include <rhyton/framework/backends/gpu/runtime/module.h>

#include <cuda_runtime.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/runtime/provider.h>
#include <rhyton/framework/device/device_log.h>

namespace {

std::string& problem() {
  static std::string text;
  return text;
}

const char* fail(std::string text) {
  problem() = std::move(text);
  return problem().c_str();
}

}  // namespace

const char* rhyton_register_gpu_module(rhyton::DeviceRuntime* runtime) noexcept {
  using namespace rhyton;
  try {
    // The order of the PCI bus, as in TensorFlow; CUDA's default begins with the fastest one.
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) static_cast<void>(cudaGetLastError());  // reported here, and not again by the next call
    if (status == cudaErrorInsufficientDriver) {
      return fail("the driver is too old for the CUDA version that Rhyton was built with.");
    }
    if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
      return fail("the driver sees no GPU, or CUDA_VISIBLE_DEVICES hides it.");
    }
    if (status != cudaSuccess) {
      return fail(std::string("cudaGetDeviceCount failed with ") + cudaGetErrorName(status) + ": " +
                  cudaGetErrorString(status) + ".");
    }
    if (is_device_log_enabled()) {
      for (int ordinal = 0; ordinal < count; ++ordinal) log_device_event(gpu::describe_gpu(ordinal));
      for (const std::string& line : gpu::describe_libraries()) log_device_event(line);
    }
    gpu::register_kernels(gpu_kernels());
    runtime->add_provider(std::make_unique<gpu::GpuProvider>(count));
    return nullptr;
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
