#pragma once

namespace rhyton {
class DeviceRuntime;
}  // namespace rhyton

/// Registers the GPUs with the runtime and their kernels with `gpu_kernels()`; see framework/device/gpu_module.h. The
/// one function that the module exports.
extern "C" [[gnu::visibility("default")]] const char* rhyton_register_gpu_module(
    rhyton::DeviceRuntime* runtime) noexcept;
