// The functions of the runtime about devices that access each other's memory.

#include <cuda_runtime.h>

#include <array>

#include <calls.h>
#include <device_memory.h>
#include <emulator.h>
#include <streams.h>

namespace rhyton::cuda_emulation {
namespace {

bool is_access_possible = true;

// For each device, the devices that it was given access to.
std::array<Devices, max_devices> peers{};

bool exists(int device) { return device >= 0 && device < device_count(); }

}  // namespace

void set_peer_access(bool is_possible) {
  const std::scoped_lock lock(mutex());
  is_access_possible = is_possible;
}

Devices reachable_from(int device) { return only(device) | peers[static_cast<std::size_t>(device)]; }

}  // namespace rhyton::cuda_emulation

using namespace rhyton::cuda_emulation;

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return call("cudaDeviceCanAccessPeer", [&]() -> cudaError_t {
    if (can_access == nullptr) return cudaErrorInvalidValue;
    if (!exists(device) || !exists(peer)) return cudaErrorInvalidDevice;
    *can_access = is_access_possible && device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return call("cudaDeviceEnablePeerAccess", [&]() -> cudaError_t {
    if (flags != 0) return cudaErrorInvalidValue;
    if (!exists(peer) || peer == current_device()) return cudaErrorInvalidDevice;
    if (const cudaError_t error = refuse_unsafe_call(); error != cudaSuccess) return error;
    Devices& reached = peers[static_cast<std::size_t>(current_device())];
    if ((reached & only(peer)) != 0) return cudaErrorPeerAccessAlreadyEnabled;
    if (!is_access_possible) return cudaErrorPeerAccessUnsupported;
    reached |= only(peer);
    return cudaSuccess;
  });
}
