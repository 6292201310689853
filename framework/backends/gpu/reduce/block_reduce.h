#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace rhyton::gpu {

inline constexpr int warp_size = 32;

/// Several sums that are computed together.
template <class T, int count>
struct Sums {
  T of[count];
};

// A join combines two values into one; it must be commutative, so that all threads get the same bits. All threads of
// the warp or block call together.

/// The value of the lane whose number differs by the bits of `offset`; for any type of whole words.
template <class Value>
__device__ inline Value shuffle_xor(const Value& value, int offset) {
  static_assert(sizeof(Value) % sizeof(unsigned) == 0);
  unsigned words[sizeof(Value) / sizeof(unsigned)];
  std::memcpy(words, &value, sizeof(Value));
  for (unsigned& word : words) word = __shfl_xor_sync(0xffffffffU, word, offset);
  Value result;
  std::memcpy(&result, words, sizeof(Value));
  return result;
}

/// Combines the values of each group of `lanes` neighbours in a warp, a power of two: each of them gets the result.
template <class Value, class Join>
__device__ inline Value warp_reduce(Value value, int lanes, const Join& join) {
  for (int offset = lanes / 2; offset > 0; offset /= 2) value = join(value, shuffle_xor(value, offset));
  return value;
}

/// Combines the values of a block of whole warps: each thread gets the result.
template <class Value, class Join>
__device__ inline Value block_reduce(Value value, const Join& join) {
  constexpr int max_warps = 32;
  __shared__ Value of_warps[max_warps];
  value = warp_reduce(value, warp_size, join);
  if (threadIdx.x % warp_size == 0) of_warps[threadIdx.x / warp_size] = value;
  __syncthreads();
  value = of_warps[0];
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  for (int warp = 1; warp < warps; ++warp) value = join(value, of_warps[warp]);
  // The next call writes the same memory.
  __syncthreads();
  return value;
}

}  // namespace rhyton::gpu
