#pragma once

#include <cuda_runtime.h>

#include <mutex>
#include <string_view>

#include <device_memory.h>
#include <emulator.h>

namespace rhyton::cuda_emulation {

/// Held while any function of the runtime or any work of a device runs.
std::recursive_mutex& mutex();

/// The counters shown by emulator.h.
Counters& counted();

/// The error with which a test wants the next call of the function to fail.
cudaError_t planned_failure(std::string_view function);

/// Stores an error for cudaGetLastError and returns it.
cudaError_t remember(cudaError_t error);

/// The current device of this thread.
int current_device();

int device_count();
/// The devices whose memory kernels of a device may access: its own, and those with granted access.
Devices reachable_from(int device);
std::size_t memory_limit();

/// Wraps the body of every function of the runtime.
template <class Body>
cudaError_t call(std::string_view function, const Body& body) {
  const std::scoped_lock lock(mutex());
  if (const cudaError_t error = planned_failure(function); error != cudaSuccess) return remember(error);
  if (device_count() == 0) return remember(cudaErrorNoDevice);
  return remember(body());
}

/// Ends the program: a kernel or a program has caused undefined behaviour of CUDA.
[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace rhyton::cuda_emulation
