#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <rhyton/framework/backends/gpu/primitives/packs.h>

namespace rhyton::gpu {

/// `is_aligned` for device code.
__device__ inline bool begins_pack(const void* data, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
}

/// A pack that begins at a multiple of its size.
template <int width, class T>
__device__ inline Pack<T, width> load_whole(const T* from) {
  return *reinterpret_cast<const Pack<T, width>*>(from);
}

/// Elements from `from` on, one by one where they are not aligned for packs.
template <int width, class T>
__device__ inline Pack<T, width> load_pack(const T* from, bool aligned) {
  if (aligned) return load_whole<width>(from);
  Pack<T, width> pack;
  for (int i = 0; i < width; ++i) pack.values[i] = from[i];
  return pack;
}

/// Stores 4, 8 or 16 bytes to the GPU's memory by one instruction.
template <class Word>
__device__ inline void store_word(void* to, const Word& word) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Word) == 16) {
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(word.x), "r"(word.y), "r"(word.z),
                 "r"(word.w)
                 : "memory");
  } else if constexpr (sizeof(Word) == 8) {
    asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(to), "r"(word.x), "r"(word.y) : "memory");
  } else {
    asm volatile("st.global.b32 [%0], %1;" ::"l"(to), "r"(word.x) : "memory");
  }
#else
  std::memcpy(to, &word, sizeof(Word));
#endif
}

/// Stores a pack. An assignment of separately computed elements would be compiled to one store for each.
template <class T, int width>
__device__ inline void store_whole(T* to, const Pack<T, width>& pack) {
  constexpr std::size_t bytes = sizeof(pack);
  if constexpr (bytes == 4 || bytes == 8 || bytes == 16) {
    std::conditional_t<bytes == 16, uint4, std::conditional_t<bytes == 8, uint2, uint1>> word;
    std::memcpy(&word, &pack, bytes);
    store_word(to, word);
  } else {
    *reinterpret_cast<Pack<T, width>*>(to) = pack;
  }
}

template <int width, class T>
__device__ inline void store_pack(T* to, const Pack<T, width>& pack, bool aligned) {
  if (aligned) {
    store_whole(to, pack);
  } else {
    for (int i = 0; i < width; ++i) to[i] = pack.values[i];
  }
}

}  // namespace rhyton::gpu
