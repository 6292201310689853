#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/packs.h>

namespace rhyton::gpu {

/// `is_aligned` for device code.
__device__ inline bool begins_pack(const void* data, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
}

/// Elements from `from` on, one by one where they are not aligned for packs.
template <int width, class T>
__device__ inline Pack<T, width> load_pack(const T* from, bool aligned) {
  if (aligned) return *reinterpret_cast<const Pack<T, width>*>(from);
  Pack<T, width> pack;
  for (int i = 0; i < width; ++i) pack.values[i] = from[i];
  return pack;
}

template <int width, class T>
__device__ inline void store_pack(T* to, const Pack<T, width>& pack, bool aligned) {
  if (aligned) {
    *reinterpret_cast<Pack<T, width>*>(to) = pack;
  } else {
    for (int i = 0; i < width; ++i) to[i] = pack.values[i];
  }
}

}  // namespace rhyton::gpu
