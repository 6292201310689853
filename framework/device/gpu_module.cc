#include <rhyton/framework/device/gpu_module.h>

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/module_file.h>
#include <rhyton/framework/warning.h>

namespace rhyton {
namespace {

bool has_nvidia_driver() {
  std::error_code ignored;
  // The kernel module's device file; in WSL the driver uses another one.
  return std::filesystem::exists("/dev/nvidiactl", ignored) || std::filesystem::exists("/dev/dxg", ignored);
}

}  // namespace

void load_gpu_module(DeviceRuntime& runtime) {
  const std::filesystem::path file = module_file("librhyton_gpu.so", "RHYTON_GPU_MODULE");
  std::error_code ignored;
  if (file.empty() || !std::filesystem::exists(file, ignored)) {
    return log_device_event("No GPU is used: there is no module for GPUs at '" + file.string() +
                            "'. Rhyton was built without CUDA.");
  }
  if (!has_nvidia_driver()) {
    return log_device_event("No GPU is used: this machine has no driver for NVIDIA GPUs.");
  }
  // There is a GPU: report why it is unused, even if no GPU was requested.
  const auto complain = [](const std::string& what) {
    warn("No GPU is used: " + what + " See docs/gpu_installation.md.");
  };
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return complain(std::string(dlerror()) + ".");
  const auto register_module = reinterpret_cast<RegisterGpuModule>(dlsym(module, register_gpu_module_symbol));
  if (register_module == nullptr) return complain("'" + file.string() + "' is no module for GPUs.");
  if (const char* const problem = register_module(&runtime)) complain(problem);
}

}  // namespace rhyton
