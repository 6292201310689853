#pragma once

namespace rhyton {

class DeviceRuntime;

/// Looks for the module that brings GPUs, `librhyton_gpu.so` beside this library, or the file that the environment
/// variable RHYTON_GPU_MODULE names, and lets it register itself. Without a driver, a module or its libraries nothing
/// is registered: the program runs on the CPU. What was missing is told by `log_device_event`, and on standard error
/// where the machine has a GPU that stays unused for it.
void load_gpu_module(DeviceRuntime& runtime);

/// The one function that a module exports, under this name. It returns null when it has registered itself, else what
/// went wrong, as a text that stays valid.
using RegisterGpuModule = const char* (*)(DeviceRuntime*) noexcept;
inline constexpr const char* register_gpu_module_symbol = "rhyton_register_gpu_module";

}  // namespace rhyton
