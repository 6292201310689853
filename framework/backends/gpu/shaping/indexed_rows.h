#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/indices.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>

// Joins rows of updates [outer, count, inner] into those rows of a table [outer, limit, inner] that indices select. A
// block owns some rows of the table and searches all indices for them. It lists the positions found, in their order,
// and then each thread joins the updates of its own elements of the table: always in the order of the indices, without
// atomics and without sorting.
//
// A Rule, which is passed to the kernel, has
//   Loaded, Value              the types of an update in memory, and to compute with
//   row_of(index, limit, number)   the row that an index selects, -1 for none; `number` is its place among all indices
//   load(place), value_of(loaded)  an update, in two steps: a conversion at once would wait for the load
//   first(place)               the value in the table before the updates
//   join(value, update)
//   store(place, value)        the value after the updates
// where a place is the number of an element among all updates, or in the table.

namespace rhyton::gpu {

struct IndexedRowsShape {
  static constexpr int threads = 256;
  static constexpr int rows_per_thread = 4;

  std::int64_t count;
  std::int64_t limit;
  std::int64_t inner;
  /// From the indices of one outer part to those of the next; 0 where all have the same.
  std::int64_t index_step;
  /// Powers of two, whose product is `threads`: groups of threads join updates to different rows at the same time.
  int columns;
  int groups_log2;
  int rows_per_block;
  std::int64_t row_tiles;
  std::int64_t column_tiles;
  std::int64_t tiles;

  IndexedRowsShape(std::int64_t outer, std::int64_t count, std::int64_t limit, std::int64_t inner,
                   std::int64_t index_step)
      : count(count), limit(limit), inner(inner), index_step(index_step) {
    constexpr std::int64_t wanted_blocks = 2 * 132;
    columns = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(inner, 1, threads))));
    groups_log2 = std::countr_zero(static_cast<unsigned>(threads / columns));
    // A table without elements has a tile too, so that its indices are checked.
    column_tiles = std::max<std::int64_t>(1, (inner + columns - 1) / columns);
    const std::int64_t max_rows = std::int64_t{rows_per_thread} << groups_log2;
    const std::int64_t rows = limit * outer * column_tiles / wanted_blocks;
    rows_per_block = static_cast<int>(std::clamp<std::int64_t>(rows, 1, max_rows));
    row_tiles = std::max<std::int64_t>(1, (limit + rows_per_block - 1) / rows_per_block);
    tiles = outer * row_tiles * column_tiles;
  }
};

/// The sum of the values of the threads before this one; `total` becomes the sum of all.
__device__ inline int exclusive_sum(int value, int* warp_totals, int& total) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  int inclusive = value;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(0xFFFFFFFFU, inclusive, static_cast<unsigned>(distance));
    if (lane >= distance) inclusive += other;
  }
  if (lane == 31) warp_totals[warp] = inclusive;
  __syncthreads();
  int before = 0;
  total = 0;
  for (int i = 0; i < IndexedRowsShape::threads / 32; ++i) {
    if (i < warp) before += warp_totals[i];
    total += warp_totals[i];
  }
  return before + inclusive - value;
}

template <class Rule>
__global__ void __launch_bounds__(IndexedRowsShape::threads)
    join_indexed_rows(Indices indices, IndexedRowsShape shape, Rule rule) {
  constexpr int threads = IndexedRowsShape::threads;
  constexpr int rows_per_thread = IndexedRowsShape::rows_per_thread;
  constexpr int indices_per_thread = 4;
  constexpr int indices_per_step = threads * indices_per_thread;
  constexpr int list_length = 2 * indices_per_step;
  // Joined updates that are loaded at the same time.
  constexpr int loads_at_once = 16;
  __shared__ std::int64_t positions[list_length];
  __shared__ int rows[list_length];
  __shared__ int warp_totals[threads / 32];
  const int groups = 1 << shape.groups_log2;
  const int group = static_cast<int>(threadIdx.x) / shape.columns;

  for (std::int64_t tile = blockIdx.x; tile < shape.tiles; tile += gridDim.x) {
    const std::int64_t column =
        tile % shape.column_tiles * shape.columns + static_cast<int>(threadIdx.x) % shape.columns;
    const std::int64_t first_row = tile / shape.column_tiles % shape.row_tiles * shape.rows_per_block;
    const std::int64_t outer = tile / shape.column_tiles / shape.row_tiles;
    const std::int64_t first_index = outer * shape.index_step;
    const std::int64_t from = outer * shape.count * shape.inner + column;
    const auto is_own = [&](int k) {
      const int row = group + k * groups;
      return row < shape.rows_per_block && first_row + row < shape.limit && column < shape.inner;
    };
    const auto place = [&](int k) {
      return (outer * shape.limit + first_row + group + k * groups) * shape.inner + column;
    };
    typename Rule::Value values[rows_per_thread] = {};
    for (int k = 0; k < rows_per_thread; ++k) {
      if (is_own(k)) values[k] = rule.first(place(k));
    }
    int listed = 0;
    for (std::int64_t first = 0; first < shape.count; first += indices_per_step) {
      int found[indices_per_thread];
      int hits = 0;
      for (int i = 0; i < indices_per_thread; ++i) {
        const std::int64_t position = first + static_cast<int>(threadIdx.x) * indices_per_thread + i;
        found[i] = -1;
        if (position >= shape.count) continue;
        const std::int64_t number = first_index + position;
        const std::int64_t row = rule.row_of(indices[number], shape.limit, number);
        if (row >= first_row && row < first_row + shape.rows_per_block) {
          found[i] = static_cast<int>(row - first_row);
          ++hits;
        }
      }
      int total = 0;
      int listing = listed + exclusive_sum(hits, warp_totals, total);
      for (int i = 0; i < indices_per_thread; ++i) {
        if (found[i] < 0) continue;
        positions[listing] = first + static_cast<int>(threadIdx.x) * indices_per_thread + i;
        rows[listing] = found[i];
        ++listing;
      }
      listed += total;
      __syncthreads();
      if (listed + indices_per_step <= list_length && first + indices_per_step < shape.count) continue;

      for (int begin = 0; begin < listed && column < shape.inner; begin += loads_at_once) {
        typename Rule::Loaded updates[loads_at_once];
        int own[loads_at_once];
        for (int i = 0; i < loads_at_once; ++i) {
          own[i] = -1;
          updates[i] = {};
          if (begin + i >= listed) continue;
          const int row = rows[begin + i];
          if ((row & (groups - 1)) != group) continue;
          own[i] = row >> shape.groups_log2;
          updates[i] = rule.load(from + positions[begin + i] * shape.inner);
        }
        for (int i = 0; i < loads_at_once; ++i) {
          const typename Rule::Value update = Rule::value_of(updates[i]);
          for (int k = 0; k < rows_per_thread; ++k) {
            if (own[i] == k) values[k] = rule.join(values[k], update);
          }
        }
      }
      listed = 0;
      __syncthreads();
    }
    for (int k = 0; k < rows_per_thread; ++k) {
      if (is_own(k)) rule.store(place(k), values[k]);
    }
  }
}

template <class Rule>
void launch_indexed_rows(GpuStream& stream, const char* what, const TensorView& indices, const IndexedRowsShape& shape,
                         const Rule& rule) {
  if (shape.tiles == 0) return;
  launch(stream, what, one_block_each(shape.tiles, IndexedRowsShape::threads), &join_indexed_rows<Rule>,
         Indices(indices), shape, rule);
}

/// The part of a rule by which updates and table are tensors of elements `T`.
template <class T>
struct ElementRows {
  using Loaded = T;
  using Value = Computed<T>;

  const T* updates;
  T* y;

  __device__ T load(std::int64_t place) const { return updates[place]; }
  __device__ static Value value_of(const T& update) { return number(update); }
  __device__ void store(std::int64_t place, Value value) const { y[place] = element<T>(value); }
};

}  // namespace rhyton::gpu
