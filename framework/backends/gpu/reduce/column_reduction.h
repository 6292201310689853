#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/reduce/block_reduce.h>
#include <rhyton/framework/backends/gpu/reduce/partial_results.h>

// Reductions of [outer, rows, columns] over the rows, where neighbouring threads process neighbouring columns. All
// numbers of threads, blocks and parts, and the order in which values are combined, depend on the shape only.

namespace rhyton::gpu {

/// How the work is distributed.
struct ColumnPlan {
  static constexpr int threads = 256;

  std::int64_t outer;
  std::int64_t rows;
  std::int64_t columns;
  /// The number of neighbouring columns that a thread processes together.
  int pack = 1;
  /// A thread reduces whole columns: there are enough columns, or too few rows for more threads.
  bool one_thread_each = false;
  /// Threads of a block along the columns, a power of two; the others process further rows.
  int lanes = 1;
  std::int64_t tiles = 1;
  /// The number of parts of the rows, whose results are combined at the end.
  std::int64_t parts = 1;
  std::int64_t rows_per_part = 0;

  /// `widest` columns are processed together where they divide the columns; at most `max_lanes` threads along the
  /// columns.
  ColumnPlan(std::int64_t outer, std::int64_t rows, std::int64_t columns, int widest, int max_lanes = warp_size)
      : outer(outer), rows(rows), columns(columns), rows_per_part(rows) {
    if (columns % widest == 0) pack = widest;
    const std::int64_t packs = columns / pack;
    one_thread_each = rows <= 8 || (rows <= 512 && outer * packs >= 65536);
    while (lanes < max_lanes && lanes < packs) lanes *= 2;
    tiles = (packs + lanes - 1) / lanes;
  }

  /// Divides the rows into parts where there is too little parallel work. Tiles become narrow if that leaves rows to
  /// divide, since one block combines the parts of a tile.
  ColumnPlan& cut() {
    constexpr int narrow = 8;
    if (!one_thread_each && columns > 0 && !cut_into_tiles_of(std::min(lanes, narrow))) cut_into_tiles_of(lanes);
    return *this;
  }

  std::size_t partial_results() const { return parts > 1 ? static_cast<std::size_t>(outer * parts * columns) : 0; }

 private:
  bool cut_into_tiles_of(int fewer_lanes) {
    constexpr std::int64_t enough_blocks = 264;
    static_assert(enough_blocks <= GpuStream::counters_per_branch);
    constexpr std::int64_t least_rows_per_thread = 4;
    const std::int64_t more_tiles = (columns / pack + fewer_lanes - 1) / fewer_lanes;
    const std::int64_t rows_at_once = least_rows_per_thread * (threads / fewer_lanes);
    const std::int64_t wanted =
        std::min(enough_blocks / std::max<std::int64_t>(outer * more_tiles, 1), rows / rows_at_once);
    // Fewer parts gain less than combining them costs.
    if (wanted < 4) return false;
    lanes = fewer_lanes;
    tiles = more_tiles;
    // Whole rounds of the threads, except for the last part.
    rows_per_part = ((rows + wanted - 1) / wanted + rows_at_once - 1) / rows_at_once * rows_at_once;
    parts = (rows + rows_per_part - 1) / rows_per_part;
    return true;
  }
};

// A Kind has a type Value, neutral() and join(a, b), and may have join_four(values) where that is faster. A Source has
// `at<n>(outer, column)`, which returns an object for n neighbouring columns whose load(row, values) reads their
// values. A Target has store(outer, column, value).

template <class Kind>
__device__ inline typename Kind::Value joined(const typename Kind::Value (&values)[4]) {
  if constexpr (requires { Kind::join_four(values); }) {
    return Kind::join_four(values);
  } else {
    return Kind::join(Kind::join(values[0], values[1]), Kind::join(values[2], values[3]));
  }
}

/// Combines the values of every `step`-th row from `first` on into `totals`.
template <class Kind, int n, class Column>
__device__ inline void join_rows(const Column& column, std::int64_t first, std::int64_t end, std::int64_t step,
                                 typename Kind::Value (&totals)[n]) {
  // Independent loads.
  constexpr int side_by_side = 4;
  std::int64_t row = first;
  for (; row + (side_by_side - 1) * step < end; row += side_by_side * step) {
    typename Kind::Value values[side_by_side][n];
    for (int k = 0; k < side_by_side; ++k) column.load(row + k * step, values[k]);
    for (int i = 0; i < n; ++i) {
      totals[i] = Kind::join(totals[i], joined<Kind>({values[0][i], values[1][i], values[2][i], values[3][i]}));
    }
  }
  for (; row < end; row += step) {
    typename Kind::Value values[n];
    column.load(row, values);
    for (int i = 0; i < n; ++i) totals[i] = Kind::join(totals[i], values[i]);
  }
}

/// Reduces the rows [first, end) of a tile's columns by all threads of a block, and calls store(column, value) for
/// each.
template <class Kind, int n, class Source, class Store>
__device__ inline void join_tile(const ColumnPlan& plan, const Source& source, std::int64_t outer, std::int64_t tile,
                                 std::int64_t first, std::int64_t end,
                                 typename Kind::Value (&shared)[n][ColumnPlan::threads], const Store& store) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t column = (tile * plan.lanes + thread % plan.lanes) * n;
  typename Kind::Value totals[n];
  for (int i = 0; i < n; ++i) totals[i] = Kind::neutral();
  if (column < plan.columns) {
    join_rows<Kind, n>(source.template at<n>(outer, column), first + thread / plan.lanes, end,
                       ColumnPlan::threads / plan.lanes, totals);
  }
  for (int i = 0; i < n; ++i) shared[i][thread] = totals[i];
  for (int left = ColumnPlan::threads / 2; left >= plan.lanes; left /= 2) {
    __syncthreads();
    if (thread < left) {
      for (int i = 0; i < n; ++i) shared[i][thread] = Kind::join(shared[i][thread], shared[i][thread + left]);
    }
  }
  if (thread < plan.lanes && column < plan.columns) {
    for (int i = 0; i < n; ++i) store(column + i, shared[i][thread]);
  }
  __syncthreads();
}

/// `cut` makes two blocks per multiprocessor: more registers allow more concurrent loads. The last block of those with
/// parts of the same columns combines their results.
template <class Kind, int n, class Source, class Target>
__global__ void __launch_bounds__(ColumnPlan::threads, 2)
    reduce_columns_in_blocks(ColumnPlan plan, Source source, Target target,
                             PartialResults<typename Kind::Value> partials) {
  using Value = typename Kind::Value;
  __shared__ Value shared[n][ColumnPlan::threads];
  const std::int64_t blocks = plan.outer * plan.parts * plan.tiles;
  for (std::int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    const std::int64_t tile = block % plan.tiles;
    const std::int64_t part = block / plan.tiles % plan.parts;
    const std::int64_t outer = block / plan.tiles / plan.parts;
    const std::int64_t first = part * plan.rows_per_part;
    const std::int64_t end = first + plan.rows_per_part < plan.rows ? first + plan.rows_per_part : plan.rows;
    const auto store = [&](std::int64_t column, const Value& value) { target.store(outer, column, value); };
    const auto store_part = [&](std::int64_t column, const Value& value) {
      if (plan.parts > 1) {
        partials.store(outer, part, column, value);
      } else {
        store(column, value);
      }
    };
    join_tile<Kind, n>(plan, source, outer, tile, first, end, shared, store_part);
    if (plan.parts == 1 || !partials.are_complete(outer * plan.tiles + tile)) continue;
    join_tile<Kind, n>(plan, partials, outer, tile, 0, plan.parts, shared, store);
  }
}

template <class Kind, int n, class Source, class Target>
__global__ void reduce_columns_in_threads(ColumnPlan plan, Source source, Target target) {
  const std::int64_t packs = plan.columns / n;
  for_each_index(plan.outer * packs, [&](std::int64_t i) {
    const std::int64_t outer = i / packs;
    const std::int64_t column = i % packs * n;
    typename Kind::Value totals[n];
    for (int k = 0; k < n; ++k) totals[k] = Kind::neutral();
    join_rows<Kind, n>(source.template at<n>(outer, column), 0, plan.rows, 1, totals);
    for (int k = 0; k < n; ++k) target.store(outer, column + k, totals[k]);
  });
}

template <class Kind, int n, class Source, class Target>
void launch_columns(GpuStream& stream, const char* what, const ColumnPlan& plan, const Source& source,
                    const Target& target, const PartialResults<typename Kind::Value>& partials) {
  if (plan.one_thread_each) {
    launch(stream, what, one_thread_each(plan.outer * plan.columns / n, 128),
           &reduce_columns_in_threads<Kind, n, Source, Target>, plan, source, target);
  } else {
    launch(stream, what, one_block_each(plan.outer * plan.parts * plan.tiles, ColumnPlan::threads),
           &reduce_columns_in_blocks<Kind, n, Source, Target>, plan, source, target, partials);
  }
}

/// Enqueues the reduction. `widest` is the argument of the plan; `workspace` contains the plan's partial results.
template <class Kind, int widest, class Source, class Target>
void reduce_columns(GpuStream& stream, const char* what, const ColumnPlan& plan, const Source& source,
                    const Target& target, void* workspace) {
  using Value = typename Kind::Value;
  if (plan.outer * plan.columns == 0) return;
  const PartialResults<Value> partials{static_cast<Value*>(workspace), plan.parts, plan.columns, stream.counters()};
  if (widest > 1 && plan.pack == widest) {
    launch_columns<Kind, widest>(stream, what, plan, source, target, partials);
  } else {
    launch_columns<Kind, 1>(stream, what, plan, source, target, partials);
  }
}

}  // namespace rhyton::gpu
