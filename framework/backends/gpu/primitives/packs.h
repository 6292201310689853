#pragma once

#include <cstddef>
#include <cstdint>

namespace rhyton::gpu {

/// Neighbouring elements that are read and written by one instruction. Its address is a multiple of its size.
template <class T, int width>
struct alignas(sizeof(T) * width) Pack {
  T values[width];
};

/// The number of elements in 16 bytes.
template <class T>
inline constexpr int pack_width = 16 / static_cast<int>(sizeof(T));

/// Whether packs of that many bytes may begin at the address.
inline bool is_aligned(const void* data, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
}

}  // namespace rhyton::gpu
