// The global state, and the functions of the runtime about errors and devices.

#include <emulator.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <calls.h>
#include <device_memory.h>
#include <streams.h>

namespace rhyton::cuda_emulation {
namespace {

struct PlannedFailure {
  std::string function;
  cudaError_t error;
  int calls_before;
};

std::vector<PlannedFailure> planned;
int number_of_devices = 1;
std::size_t bytes_of_each_device = std::size_t{1} << 30;

thread_local cudaError_t last_error = cudaSuccess;
thread_local int device_of_thread = 0;

}  // namespace

std::recursive_mutex& mutex() {
  static auto& only_one = *new std::recursive_mutex();
  return only_one;
}

Counters& counted() {
  static Counters all;
  return all;
}

Counters counters() {
  const std::scoped_lock lock(mutex());
  return counted();
}

void fail_next(std::string_view function, cudaError_t error, int calls_before) {
  const std::scoped_lock lock(mutex());
  planned.push_back({std::string(function), error, calls_before});
}

cudaError_t planned_failure(std::string_view function) {
  const auto found =
      std::ranges::find_if(planned, [&](const PlannedFailure& failure) { return failure.function == function; });
  if (found == planned.end()) return cudaSuccess;
  if (found->calls_before > 0) {
    --found->calls_before;
    return cudaSuccess;
  }
  const cudaError_t error = found->error;
  planned.erase(found);
  return error;
}

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

int current_device() { return device_of_thread; }
int device_count() { return number_of_devices; }
std::size_t memory_limit() { return bytes_of_each_device; }

void set_device_count(int count) {
  const std::scoped_lock lock(mutex());
  if (count < 0 || count > max_devices) fail("There can be 0 to %d devices.", max_devices);
  number_of_devices = count;
}

void set_memory_limit(std::size_t bytes) {
  const std::scoped_lock lock(mutex());
  bytes_of_each_device = bytes;
}

void fail(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::fputs("CUDA emulation: ", stderr);
  std::vfprintf(stderr, format, arguments);
  std::fputc('\n', stderr);
  va_end(arguments);
  std::abort();
}

}  // namespace rhyton::cuda_emulation

using namespace rhyton::cuda_emulation;

namespace {

struct NamedError {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr NamedError named_errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidHostPointer, "cudaErrorInvalidHostPointer", "invalid host pointer"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
     "no kernel image is available for execution on the device"},
    {cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread",
     "attempt to terminate a thread-local capture sequence from another thread"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

constexpr cudaDeviceProp properties_of_all = {
    .name = "Emulated GPU",
    .totalGlobalMem = 0,
    .sharedMemPerBlock = 48 << 10,
    .regsPerBlock = 65536,
    .warpSize = 32,
    .maxThreadsPerBlock = 1024,
    .maxThreadsDim = {1024, 1024, 64},
    .maxGridSize = {2147483647, 65535, 65535},
    .major = 9,
    .minor = 0,
    .multiProcessorCount = 132,
    .integrated = 0,
    .canMapHostMemory = 1,
    .concurrentKernels = 1,
    .ECCEnabled = 0,
    .pciBusID = 0,
    .pciDeviceID = 0,
    .pciDomainID = 0,
    .asyncEngineCount = 3,
    .unifiedAddressing = 1,
    .memoryBusWidth = 5120,
    .l2CacheSize = 50 << 20,
    .maxThreadsPerMultiProcessor = 2048,
    .sharedMemPerMultiprocessor = 228 << 10,
    .sharedMemPerBlockOptin = 227 << 10,
    .maxBlocksPerMultiProcessor = 32,
};

bool exists(int device) { return device >= 0 && device < device_count(); }

// Bus numbers start at one, since no GPU of a real machine has bus 0.
int bus_of(int device) { return device + 1; }

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  const auto* const found = std::ranges::find(named_errors, error, &NamedError::error);
  return found == std::end(named_errors) ? "unrecognized error code" : found->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const auto* const found = std::ranges::find(named_errors, error, &NamedError::error);
  return found == std::end(named_errors) ? "unrecognized error code" : found->text;
}

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }

cudaError_t cudaGetDeviceCount(int* count) {
  if (count != nullptr) *count = device_count();
  return call("cudaGetDeviceCount", [&] { return count == nullptr ? cudaErrorInvalidValue : cudaSuccess; });
}

cudaError_t cudaSetDevice(int device) {
  return call("cudaSetDevice", [&] {
    if (!exists(device)) return cudaErrorInvalidDevice;
    device_of_thread = device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call("cudaGetDevice", [&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call("cudaGetDeviceProperties", [&] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (!exists(device)) return cudaErrorInvalidDevice;
    *properties = properties_of_all;
    properties->totalGlobalMem = memory_limit();
    properties->pciBusID = bus_of(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call("cudaDeviceGetAttribute", [&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!exists(device)) return cudaErrorInvalidDevice;
    const cudaDeviceProp& all = properties_of_all;
    const std::pair<cudaDeviceAttr, std::size_t> values[] = {
        {cudaDevAttrMaxThreadsPerBlock, all.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, all.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, all.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, all.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, all.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, all.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, all.maxGridSize[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, all.sharedMemPerBlock},
        {cudaDevAttrWarpSize, all.warpSize},
        {cudaDevAttrClockRate, 1980000},
        {cudaDevAttrMultiProcessorCount, all.multiProcessorCount},
        {cudaDevAttrMemoryClockRate, 2619000},
        {cudaDevAttrGlobalMemoryBusWidth, all.memoryBusWidth},
        {cudaDevAttrL2CacheSize, all.l2CacheSize},
        {cudaDevAttrMaxThreadsPerMultiProcessor, all.maxThreadsPerMultiProcessor},
        {cudaDevAttrUnifiedAddressing, all.unifiedAddressing},
        {cudaDevAttrComputeCapabilityMajor, all.major},
        {cudaDevAttrComputeCapabilityMinor, all.minor},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, all.sharedMemPerMultiprocessor},
        {cudaDevAttrPageableMemoryAccess, 0},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, all.sharedMemPerBlockOptin},
        {cudaDevAttrMemoryPoolsSupported, 0},
    };
    const auto* const found = std::ranges::find(values, attribute, &std::pair<cudaDeviceAttr, std::size_t>::first);
    if (found == std::end(values)) return cudaErrorInvalidValue;
    *value = static_cast<int>(found->second);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return call("cudaDeviceGetPCIBusId", [&] {
    if (id == nullptr || length < 13) return cudaErrorInvalidValue;
    if (!exists(device)) return cudaErrorInvalidDevice;
    std::snprintf(id, static_cast<std::size_t>(length), "0000:%02X:00.0", static_cast<unsigned>(bus_of(device)));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", [&] {
    if (const cudaError_t error = refuse_if_device_captures(current_device()); error != cudaSuccess) return error;
    ++counted().synchronizations;
    finish_device(current_device());
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  if (version == nullptr) return remember(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
