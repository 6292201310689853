#pragma once

#include <cstddef>
#include <cstdint>

namespace rhyton::cuda_emulation {

/// A set of devices, one bit each.
using Devices = std::uint64_t;
constexpr int max_devices = 64;
constexpr Devices only(int device) { return Devices{1} << device; }

/// Memory of a device, filled with bytes that are NaN in every floating dtype; null if its limit would be exceeded.
void* allocate(int device, std::size_t bytes);
/// False for an address that `allocate` has not returned. Ends the program if there was a write past the end.
bool release(void* data);

/// Pinned memory of the host.
void* allocate_pinned(std::size_t bytes);
bool release_pinned(void* data);

enum class Kind { pageable, pinned, device, invalid };
struct Location {
  Kind kind;
  /// The devices that the memory belongs to: one or none.
  Devices devices;
};
/// The location of a range. It is invalid if it begins in memory allocated by the runtime and continues past its end,
/// or if it is in a device's memory that is not allocated.
Location locate(const void* data, std::size_t bytes);

/// Makes the memory of exactly these devices accessible; accesses to that of all others crash.
void open_only(Devices devices);

}  // namespace rhyton::cuda_emulation
