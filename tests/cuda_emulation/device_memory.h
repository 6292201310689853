#pragma once

#include <cstddef>
#include <cstdint>

namespace rhyton::cuda_emulation {

/// A set of devices, one bit each.
using Devices = std::uint64_t;
constexpr int most_devices = 64;
constexpr Devices only(int device) { return Devices{1} << device; }

/// Memory of a device, filled with bytes that are NaN in every floating type; null when its limit would be passed.
void* allocate(int device, std::size_t bytes);
/// False for an address that `allocate` has not given. Ends the program if somebody wrote behind the end.
bool release(void* data);

/// Pinned memory of the host.
void* allocate_pinned(std::size_t bytes);
bool release_pinned(void* data);

enum class Kind { pageable, pinned, device, invalid };
struct Location {
  Kind kind;
  /// The devices whose memory it is: one or none.
  Devices devices;
};
/// Where a range lies. It is invalid when it begins in memory that the runtime has given and goes on behind its end, or
/// lies in a device's memory that is not allocated.
Location locate(const void* data, std::size_t bytes);

/// Makes the memory of exactly these devices accessible; that of all others crashes whoever touches it.
void open_only(Devices devices);

}  // namespace rhyton::cuda_emulation
