#pragma once

namespace rhyton {

class DeviceRuntime;

/// Searches for the module that provides GPUs, `librhyton_gpu.so` in the directory of this library, or the file that
/// the environment variable RHYTON_GPU_MODULE names, and registers it. Without a driver, a module or its libraries
/// nothing is registered: the program runs on the CPU. What was missing is reported by `log_device_event`, and on
/// standard error where the machine has a GPU that stays unused because of it.
void load_gpu_module(DeviceRuntime& runtime);

/// The one function that a module exports, under this name. It returns null after it has registered itself, otherwise
/// an error text that stays valid.
using RegisterGpuModule = const char* (*)(DeviceRuntime*) noexcept;
inline constexpr const char* register_gpu_module_symbol = "rhyton_register_gpu_module";

}  // namespace rhyton
