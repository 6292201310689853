// The functions of the runtime about memory.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <calls.h>
#include <device_memory.h>
#include <emulator.h>
#include <streams.h>

using namespace rhyton::cuda_emulation;

namespace {

bool can_device_reach(Kind kind) { return kind == Kind::device || kind == Kind::pinned; }

bool fits(cudaMemcpyKind direction, Kind target, Kind source) {
  if (target == Kind::invalid || source == Kind::invalid) return false;
  switch (direction) {
    case cudaMemcpyHostToHost:
      return target != Kind::device && source != Kind::device;
    case cudaMemcpyHostToDevice:
      return target == Kind::device && source != Kind::device;
    case cudaMemcpyDeviceToHost:
      return target != Kind::device && source == Kind::device;
    case cudaMemcpyDeviceToDevice:
      return can_device_reach(target) && can_device_reach(source);
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

// Submits a copy to a stream and returns whether the caller must wait for it because the memory is not pinned.
cudaError_t submit_copy(CUstream_st* stream, void* target, const void* source, std::size_t bytes,
                        cudaMemcpyKind direction, bool& has_to_wait) {
  has_to_wait = false;
  if (bytes == 0) return cudaSuccess;
  const Location to = locate(target, bytes);
  const Location from = locate(source, bytes);
  if (!fits(direction, to.kind, from.kind)) return cudaErrorInvalidValue;
  const bool is_pageable = to.kind == Kind::pageable || from.kind == Kind::pageable;
  if (is_pageable) {
    if (const cudaError_t error = refuse_if_capturing(stream); error != cudaSuccess) return error;
  }
  has_to_wait = to.kind == Kind::pageable;
  if (from.kind == Kind::pageable) {
    const auto* const begin = static_cast<const std::byte*>(source);
    return submit(stream, {[target, copied = std::vector<std::byte>(begin, begin + bytes)] {
                             std::memcpy(target, copied.data(), copied.size());
                           },
                           to.devices});
  }
  return submit(stream, {[=] { std::memcpy(target, source, bytes); }, to.devices | from.devices});
}

cudaError_t copy_async(cudaStream_t handle, void* target, const void* source, std::size_t bytes,
                       cudaMemcpyKind direction) {
  CUstream_st* const stream = stream_of(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  bool has_to_wait = false;
  if (const cudaError_t error = submit_copy(stream, target, source, bytes, direction, has_to_wait);
      error != cudaSuccess) {
    return error;
  }
  if (!has_to_wait) return cudaSuccess;
  ++counted().synchronizations;
  return finish(stream);
}

cudaError_t submit_fill(CUstream_st* stream, void* target, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  const Location to = locate(target, bytes);
  if (!can_device_reach(to.kind)) return cudaErrorInvalidValue;
  return submit(stream, {[=] { std::memset(target, value, bytes); }, to.devices});
}

// Runs before memory is released: all work of its device, and the work of other devices that does not depend on calls
// that this thread may still make.
void finish_for_release(int device) {
  finish_possible();
  finish_device(device);
}

}  // namespace

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call("cudaMemGetInfo", [&]() -> cudaError_t {
    if (free == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = memory_limit();
    *free = memory_limit() - bytes_in_use(current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  return call("cudaMalloc", [&]() -> cudaError_t {
    if (data == nullptr) return cudaErrorInvalidValue;
    *data = nullptr;
    if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
    if (bytes == 0) return cudaSuccess;
    ++counted().allocations;
    *data = allocate(current_device(), bytes);
    return *data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

cudaError_t cudaFree(void* data) {
  return call("cudaFree", [&]() -> cudaError_t {
    if (data == nullptr) return cudaSuccess;
    if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
    const int device = device_of(data);
    finish_for_release(device < 0 ? current_device() : device);
    return release(data) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMallocHost(void** data, std::size_t bytes, unsigned int flags) {
  return cudaHostAlloc(data, bytes, flags);
}

cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned int flags) {
  return call("cudaHostAlloc", [&]() -> cudaError_t {
    constexpr unsigned int known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (data == nullptr || (flags & ~known) != 0) return cudaErrorInvalidValue;
    *data = nullptr;
    if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
    if (bytes == 0) return cudaSuccess;
    *data = allocate_pinned(bytes);
    return *data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_data, void* data, unsigned int flags) {
  return call("cudaHostGetDevicePointer", [&]() -> cudaError_t {
    if (device_data == nullptr || flags != 0 || locate(data, 1).kind != Kind::pinned) return cudaErrorInvalidValue;
    *device_data = data;
    return cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* data) {
  return call("cudaFreeHost", [&]() -> cudaError_t {
    if (data == nullptr) return cudaSuccess;
    if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
    finish_for_release(current_device());
    return release_pinned(data) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  return call("cudaMemcpy", [&]() -> cudaError_t {
    if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
    CUstream_st* const stream = stream_of(nullptr);
    bool has_to_wait = false;
    if (const cudaError_t error = submit_copy(stream, target, source, bytes, kind, has_to_wait); error != cudaSuccess) {
      return error;
    }
    // Copies between devices' memories do not wait.
    if (locate(target, 0).kind == Kind::device && locate(source, 0).kind == Kind::device) return cudaSuccess;
    ++counted().synchronizations;
    return finish(stream);
  });
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call("cudaMemcpyAsync", [&] { return copy_async(stream, target, source, bytes, kind); });
}

cudaError_t cudaMemcpyPeerAsync(void* target, int target_device, const void* source, int source_device,
                                std::size_t bytes, cudaStream_t stream) {
  return call("cudaMemcpyPeerAsync", [&]() -> cudaError_t {
    if (target_device < 0 || target_device >= device_count() || source_device < 0 || source_device >= device_count()) {
      return cudaErrorInvalidDevice;
    }
    if (bytes != 0 && (device_of(target) != target_device || device_of(source) != source_device)) {
      return cudaErrorInvalidValue;
    }
    return copy_async(stream, target, source, bytes, cudaMemcpyDeviceToDevice);
  });
}

cudaError_t cudaMemset(void* target, int value, std::size_t bytes) {
  return call("cudaMemset", [&]() -> cudaError_t {
    if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
    CUstream_st* const stream = stream_of(nullptr);
    if (const cudaError_t error = submit_fill(stream, target, value, bytes); error != cudaSuccess) return error;
    return locate(target, 0).kind == Kind::pinned ? finish(stream) : cudaSuccess;
  });
}

cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes, cudaStream_t handle) {
  return call("cudaMemsetAsync", [&]() -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return submit_fill(stream, target, value, bytes);
  });
}
