#pragma once

// Functions with which a kernel's thread queries itself, and waits for and exchanges values with others. Calls that
// wait must be made from kernels; they record the place of the call for messages about deadlocks.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <vector_types.h>

extern constinit thread_local uint3 threadIdx;
extern constinit thread_local uint3 blockIdx;
extern constinit thread_local dim3 blockDim;
extern constinit thread_local dim3 gridDim;
inline constexpr int warpSize = 32;

namespace rhyton::cuda_emulation {

/// A location in the sources; clang 14 has no std::source_location.
class Place {
 public:
  static constexpr Place current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    Place place;
    place.file_ = file;
    place.line_ = line;
    return place;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr unsigned line() const { return line_; }

 private:
  const char* file_ = "";
  unsigned line_ = 0;
};

enum class Reduction { none, any, all, count };
/// Waits for all threads of the block that have not returned and combines their predicates.
int wait_for_block(const char* call, Reduction reduction, int predicate, const Place& place);

/// The values that the lanes of a warp contributed to an exchange.
struct Exchanged {
  /// The value of the requested lane; all bits set if that lane does not take part.
  std::uint64_t value;
  /// The lanes that take part and those of them whose predicate is not zero.
  std::uint32_t lanes;
  std::uint32_t ballot;
};
/// Waits for all lanes of `mask` that have not returned to make the same call.
Exchanged exchange_in_warp(const char* call, std::uint32_t mask, std::uint64_t value, int source_lane, bool predicate,
                           const Place& place);
int lane_of_this_thread();

template <class T>
T shuffle(const char* call, unsigned mask, T value, int source_lane, const Place& place) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = exchange_in_warp(call, mask, bits, source_lane, false, place).value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
  return value;
}

}  // namespace rhyton::cuda_emulation

inline void __syncthreads(const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  rhyton::cuda_emulation::wait_for_block("__syncthreads", rhyton::cuda_emulation::Reduction::none, 0, place);
}
inline int __syncthreads_or(int predicate,
                            const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  return rhyton::cuda_emulation::wait_for_block("__syncthreads_or", rhyton::cuda_emulation::Reduction::any, predicate,
                                                place);
}
inline int __syncthreads_and(int predicate,
                             const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  return rhyton::cuda_emulation::wait_for_block("__syncthreads_and", rhyton::cuda_emulation::Reduction::all, predicate,
                                                place);
}
inline int __syncthreads_count(int predicate,
                               const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  return rhyton::cuda_emulation::wait_for_block("__syncthreads_count", rhyton::cuda_emulation::Reduction::count,
                                                predicate, place);
}

inline void __syncwarp(unsigned mask = 0xFFFFFFFFu,
                       const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  rhyton::cuda_emulation::exchange_in_warp("__syncwarp", mask, 0, 0, false, place);
}
inline unsigned __ballot_sync(unsigned mask, int predicate,
                              const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  return rhyton::cuda_emulation::exchange_in_warp("__ballot_sync", mask, 0, 0, predicate != 0, place).ballot;
}
inline int __any_sync(unsigned mask, int predicate,
                      const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  return rhyton::cuda_emulation::exchange_in_warp("__any_sync", mask, 0, 0, predicate != 0, place).ballot != 0;
}
inline int __all_sync(unsigned mask, int predicate,
                      const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  const auto got = rhyton::cuda_emulation::exchange_in_warp("__all_sync", mask, 0, 0, predicate != 0, place);
  return got.ballot == got.lanes;
}
/// CUDA guarantees only that the calling lane is among the active ones.
inline unsigned __activemask() { return 1u << rhyton::cuda_emulation::lane_of_this_thread(); }

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32,
              const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  const int lane = rhyton::cuda_emulation::lane_of_this_thread();
  const int first = lane & ~(width - 1);
  return rhyton::cuda_emulation::shuffle("__shfl_sync", mask, value, first + (source & (width - 1)), place);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,
                 const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  const int lane = rhyton::cuda_emulation::lane_of_this_thread();
  const bool inside = static_cast<unsigned>(lane & (width - 1)) >= delta;
  return rhyton::cuda_emulation::shuffle("__shfl_up_sync", mask, value, inside ? lane - static_cast<int>(delta) : lane,
                                         place);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,
                   const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  const int lane = rhyton::cuda_emulation::lane_of_this_thread();
  const bool inside = (lane & (width - 1)) + static_cast<std::int64_t>(delta) < width;
  return rhyton::cuda_emulation::shuffle("__shfl_down_sync", mask, value,
                                         inside ? lane + static_cast<int>(delta) : lane, place);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,
                  const rhyton::cuda_emulation::Place& place = rhyton::cuda_emulation::Place::current()) {
  const int lane = rhyton::cuda_emulation::lane_of_this_thread();
  const int source = lane ^ lane_mask;
  // Lanes of earlier groups may be read, those of later groups may not.
  const bool inside = source < (lane & ~(width - 1)) + width;
  return rhyton::cuda_emulation::shuffle("__shfl_xor_sync", mask, value, inside ? source : lane, place);
}

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

// Only one thread of all kernels runs at a time: the following functions cannot be interrupted.

namespace rhyton::cuda_emulation {

template <class T>
inline constexpr bool is_atomic_integer =
    std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, unsigned long long>;

template <class T, class Change>
T change(T* address, const Change& next) {
  const T old = *address;
  *address = next(old);
  return old;
}

}  // namespace rhyton::cuda_emulation

template <class T>
requires(rhyton::cuda_emulation::is_atomic_integer<T> || std::is_floating_point_v<T>) T
    atomicAdd(T* address, std::type_identity_t<T> value) {
  return rhyton::cuda_emulation::change(address, [&](T old) {
    if constexpr (std::is_same_v<T, int>) {
      return static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value));
    } else {
      return old + value;
    }
  });
}
template <class T>
requires(std::is_same_v<T, int> || std::is_same_v<T, unsigned>) T atomicSub(T* address, std::type_identity_t<T> value) {
  return atomicAdd(address, static_cast<T>(0u - static_cast<unsigned>(value)));
}
template <class T>
requires(rhyton::cuda_emulation::is_atomic_integer<T> || std::is_same_v<T, long long>) T
    atomicMax(T* address, std::type_identity_t<T> value) {
  return rhyton::cuda_emulation::change(address, [&](T old) { return old < value ? value : old; });
}
template <class T>
requires(rhyton::cuda_emulation::is_atomic_integer<T> || std::is_same_v<T, long long>) T
    atomicMin(T* address, std::type_identity_t<T> value) {
  return rhyton::cuda_emulation::change(address, [&](T old) { return value < old ? value : old; });
}
template <class T>
requires(rhyton::cuda_emulation::is_atomic_integer<T> || std::is_same_v<T, unsigned short>) T
    atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return rhyton::cuda_emulation::change(address, [&](T old) { return old == expected ? value : old; });
}
template <class T>
requires(rhyton::cuda_emulation::is_atomic_integer<T> || std::is_same_v<T, float>) T
    atomicExch(T* address, std::type_identity_t<T> value) {
  return rhyton::cuda_emulation::change(address, [&](T) { return value; });
}
template <class T>
requires(rhyton::cuda_emulation::is_atomic_integer<T>) T atomicOr(T* address, std::type_identity_t<T> value) {
  return rhyton::cuda_emulation::change(address, [&](T old) { return old | value; });
}
template <class T>
requires(rhyton::cuda_emulation::is_atomic_integer<T>) T atomicAnd(T* address, std::type_identity_t<T> value) {
  return rhyton::cuda_emulation::change(address, [&](T old) { return old & value; });
}
template <class T>
requires(rhyton::cuda_emulation::is_atomic_integer<T>) T atomicXor(T* address, std::type_identity_t<T> value) {
  return rhyton::cuda_emulation::change(address, [&](T old) { return old ^ value; });
}
inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return rhyton::cuda_emulation::change(address, [&](unsigned old) { return old >= limit ? 0 : old + 1; });
}
