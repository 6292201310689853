#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace rhyton::gpu {

/// 16 bytes, which one instruction moves.
struct alignas(16) Word16 {
  std::uint64_t parts[2];
};

/// The bytes, 1 to 16, of the widest word that all of these addresses and byte counts are multiples of.
inline std::size_t widest_word(std::initializer_list<std::uint64_t> multiples) {
  std::uint64_t bits = sizeof(Word16);
  for (const std::uint64_t multiple : multiples) bits |= multiple;
  return static_cast<std::size_t>(bits & (~bits + 1));
}

inline std::uint64_t address_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

/// Calls function(a word) with a word of that many bytes: for kernels that only move elements.
template <class Function>
void with_word(std::size_t bytes, const Function& function) {
  switch (bytes) {
    case 16:
      return function(Word16());
    case 8:
      return function(std::uint64_t());
    case 4:
      return function(std::uint32_t());
    case 2:
      return function(std::uint16_t());
    default:
      return function(std::uint8_t());
  }
}

}  // namespace rhyton::gpu
