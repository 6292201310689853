#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace rhyton::gpu {

/// Arguments of a kernel up to this size are no slower than small ones.
inline constexpr std::size_t cheap_argument_bytes = 3840;

/// The maximum number of tensors of a launch whose `Part`s are passed with its arguments.
template <class Part>
inline constexpr int max_parts = static_cast<int>(cheap_argument_bytes / (sizeof(Part) + sizeof(unsigned)));

/// Distributes the blocks of a launch over several tensors: launching a kernel for each would take longer than the work
/// on a small tensor.
template <class Part, int maximum>
struct BlockShares {
  int count = 0;
  unsigned blocks = 0;
  std::int64_t per_block = 1;
  unsigned first_blocks[maximum];
  Part parts[maximum];

  /// Adds a tensor of `size` elements, more than none.
  void add(const Part& part, std::int64_t size) {
    parts[count] = part;
    first_blocks[count] = blocks;
    ++count;
    blocks += static_cast<unsigned>((size + per_block - 1) / per_block);
  }

  /// The number of the tensor that a block belongs to: the last one whose first block is not after it.
  __host__ __device__ int part_of(unsigned block) const {
    if constexpr (maximum == 1) return 0;
    int first = 0;
    for (int last = count; last - first > 1;) {
      const int middle = (first + last) / 2;
      if (first_blocks[middle] <= block) {
        first = middle;
      } else {
        last = middle;
      }
    }
    return first;
  }

  /// The first element of a block within its tensor.
  __host__ __device__ std::int64_t first_element(unsigned block, int part) const {
    return static_cast<std::int64_t>(block - first_blocks[part]) * per_block;
  }
};

/// Elements per block, a multiple of the elements that its threads process at once: `total` elements then keep a GPU
/// busy without more blocks than that needs.
inline std::int64_t elements_per_block(std::int64_t total, std::int64_t at_once) {
  constexpr std::int64_t max_blocks = 16 * 132;
  const std::int64_t rounds = total / (max_blocks * at_once);
  return at_once * (rounds > 1 ? rounds : 1);
}

}  // namespace rhyton::gpu
