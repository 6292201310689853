#include <rhyton/framework/backends/gpu/shaping/matrix_transpose.h>

#include <algorithm>

#include <rhyton/framework/backends/gpu/primitives/block_shares.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>

namespace rhyton::gpu {
namespace {

constexpr int tile = 32;
constexpr int tile_rows_at_once = 8;

__host__ __device__ inline std::int64_t tiles_over(std::int64_t length) { return (length + tile - 1) / tile; }

/// The blocks' shares are counted in tiles.
template <class Word, int maximum>
__global__ void transpose_tiles(BlockShares<MatrixToTranspose, maximum> shares) {
  // One column more than is needed, so that the threads of a warp read a column from different banks.
  __shared__ Word cells[tile][tile + 1];
  const int part = shares.part_of(blockIdx.x);
  const MatrixToTranspose& matrix = shares.parts[part];
  const auto* const from = static_cast<const Word*>(matrix.from);
  auto* const to = static_cast<Word*>(matrix.to);
  const std::int64_t tiles_across = tiles_over(matrix.columns);
  const std::int64_t tiles = tiles_over(matrix.rows) * tiles_across;
  const std::int64_t first = shares.first_element(blockIdx.x, part);
  const std::int64_t last = first + shares.per_block < tiles ? first + shares.per_block : tiles;
  const auto lane = static_cast<int>(threadIdx.x);
  for (std::int64_t number = first; number < last; ++number) {
    const std::int64_t top = number / tiles_across * tile;
    const std::int64_t left = number % tiles_across * tile;
    // Independent loads.
    Word own[tile / tile_rows_at_once];
    for (int k = 0; k < tile / tile_rows_at_once; ++k) {
      const int i = static_cast<int>(threadIdx.y) + k * tile_rows_at_once;
      const bool is_inside = top + i < matrix.rows && left + lane < matrix.columns;
      own[k] = is_inside ? from[(top + i) * matrix.columns + left + lane] : Word();
    }
    for (int k = 0; k < tile / tile_rows_at_once; ++k) {
      cells[static_cast<int>(threadIdx.y) + k * tile_rows_at_once][lane] = own[k];
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.y); i < tile; i += tile_rows_at_once) {
      if (left + i >= matrix.columns || top + lane >= matrix.rows) continue;
      to[(left + i) * matrix.rows + top + lane] = cells[lane][i];
    }
    __syncthreads();
  }
}

template <class Word, int maximum>
void launch_transposes(GpuStream& stream, std::span<const MatrixToTranspose> matrices) {
  std::int64_t total = 0;
  for (const MatrixToTranspose& matrix : matrices) total += tiles_over(matrix.rows) * tiles_over(matrix.columns);
  BlockShares<MatrixToTranspose, maximum> shares;
  shares.per_block = elements_per_block(total, 1);
  for (const MatrixToTranspose& matrix : matrices) {
    const std::int64_t tiles = tiles_over(matrix.rows) * tiles_over(matrix.columns);
    if (tiles > 0) shares.add(matrix, tiles);
  }
  if (shares.blocks == 0) return;
  launch(stream, "Transpose", {dim3(shares.blocks), dim3(tile, tile_rows_at_once)}, &transpose_tiles<Word, maximum>,
         shares);
}

}  // namespace

void transpose_matrices(GpuStream& stream, std::size_t element_bytes, std::span<const MatrixToTranspose> matrices) {
  constexpr std::size_t maximum = max_parts<MatrixToTranspose>;
  with_word(element_bytes, [&](auto word) {
    using Word = decltype(word);
    // A call for a single matrix should not pass an empty table.
    if (matrices.size() == 1) return launch_transposes<Word, 1>(stream, matrices);
    for (std::size_t first = 0; first < matrices.size(); first += maximum) {
      launch_transposes<Word, maximum>(stream, matrices.subspan(first, std::min(maximum, matrices.size() - first)));
    }
  });
}

}  // namespace rhyton::gpu
