#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/reduce/block_reduce.h>
#include <rhyton/framework/backends/gpu/reduce/column_reduction.h>
#include <rhyton/framework/backends/gpu/reduce/partial_results.h>

// Reductions of [rows, length] along the rows, where neighbouring threads process neighbouring elements of a row. Kind,
// Source and Target are those of column_reduction.h: a row is their `outer`, an element their `row`, and there is one
// column. All numbers of threads, blocks and parts depend on the shape only.

namespace rhyton::gpu {

/// How the work is distributed.
struct RowPlan {
  static constexpr int threads = 256;

  std::int64_t rows;
  std::int64_t length;
  /// The number of neighbouring elements that a thread processes together.
  int pack = 1;
  /// The number of threads of a warp per row, a power of two; 0 where a block processes a row.
  int lanes = 1;
  /// The number of parts of each row, whose results are combined at the end.
  std::int64_t parts = 1;
  std::int64_t packs_per_part = 0;

  /// `widest` elements are processed together where they divide the length.
  RowPlan(std::int64_t rows, std::int64_t length, int widest) : rows(rows), length(length) {
    constexpr std::int64_t longest_for_warp = 256;
    constexpr std::int64_t enough_rows_for_warps = 4224;
    if (length % widest == 0) pack = widest;
    const std::int64_t packs = length / pack;
    packs_per_part = packs;
    if (packs > longest_for_warp && rows < enough_rows_for_warps) {
      lanes = 0;
    } else {
      while (lanes < warp_size && lanes < packs) lanes *= 2;
    }
  }

  /// Divides long rows into parts where there are few rows.
  RowPlan& cut() {
    constexpr std::int64_t enough_blocks = 264;
    static_assert(enough_blocks <= GpuStream::counters_per_branch);
    constexpr std::int64_t least_packs_per_thread = 4;
    if (lanes > 0 || rows == 0) return *this;
    const std::int64_t packs = length / pack;
    const std::int64_t wanted = std::min(enough_blocks / rows, packs / (least_packs_per_thread * threads));
    if (wanted < 2) return *this;
    packs_per_part = (packs + wanted - 1) / wanted;
    parts = (packs + packs_per_part - 1) / packs_per_part;
    return *this;
  }

  std::size_t partial_results() const { return parts > 1 ? static_cast<std::size_t>(rows * parts) : 0; }
};

/// The elements of a row in packs of n, viewed as rows of n columns.
template <int n, class Column>
struct PackedRow {
  Column column;

  template <class Value>
  __device__ void load(std::int64_t pack, Value (&values)[n]) const {
    column.load(pack * n, values);
  }
};

template <class Kind>
struct JoinOf {
  using Value = typename Kind::Value;
  __device__ Value operator()(const Value& a, const Value& b) const { return Kind::join(a, b); }
};

/// This thread's share of the packs [first, end).
template <class Kind, int n, class Source>
__device__ inline typename Kind::Value join_packs(const Source& source, std::int64_t row, std::int64_t first,
                                                  std::int64_t end, std::int64_t step) {
  using Column = decltype(source.template at<n>(row, 0));
  typename Kind::Value totals[n];
  for (int i = 0; i < n; ++i) totals[i] = Kind::neutral();
  join_rows<Kind, n>(PackedRow<n, Column>{source.template at<n>(row, 0)}, first, end, step, totals);
  for (int i = 1; i < n; ++i) totals[0] = Kind::join(totals[0], totals[i]);
  return totals[0];
}

template <class Kind, int n, class Source, class Target>
__global__ void __launch_bounds__(RowPlan::threads) reduce_rows_in_warps(RowPlan plan, Source source, Target target) {
  const std::int64_t rows_per_block = RowPlan::threads / plan.lanes;
  const int lane = static_cast<int>(threadIdx.x) % plan.lanes;
  for (std::int64_t first = blockIdx.x * rows_per_block; first < plan.rows; first += gridDim.x * rows_per_block) {
    const std::int64_t row = first + static_cast<int>(threadIdx.x) / plan.lanes;
    typename Kind::Value total = Kind::neutral();
    if (row < plan.rows) total = join_packs<Kind, n>(source, row, lane, plan.length / n, plan.lanes);
    total = warp_reduce(total, plan.lanes, JoinOf<Kind>());
    if (row < plan.rows && lane == 0) target.store(row, 0, total);
  }
}

/// The last block of those with parts of the same row combines their results.
template <class Kind, int n, class Source, class Target>
__global__ void __launch_bounds__(RowPlan::threads)
    reduce_rows_in_blocks(RowPlan plan, Source source, Target target, PartialResults<typename Kind::Value> partials) {
  using Value = typename Kind::Value;
  const int thread = static_cast<int>(threadIdx.x);
  for (std::int64_t block = blockIdx.x; block < plan.rows * plan.parts; block += gridDim.x) {
    const std::int64_t row = block / plan.parts;
    const std::int64_t part = block % plan.parts;
    const std::int64_t first = part * plan.packs_per_part;
    const std::int64_t packs = plan.length / n;
    const std::int64_t end = first + plan.packs_per_part < packs ? first + plan.packs_per_part : packs;
    Value total = block_reduce(join_packs<Kind, n>(source, row, first + thread, end, RowPlan::threads), JoinOf<Kind>());
    if (plan.parts > 1) {
      if (thread == 0) partials.store(row, part, 0, total);
      if (!partials.are_complete(row)) continue;
      total = block_reduce(join_packs<Kind, 1>(partials, row, thread, plan.parts, RowPlan::threads), JoinOf<Kind>());
    }
    if (thread == 0) target.store(row, 0, total);
  }
}

template <class Kind, int n, class Source, class Target>
void launch_rows(GpuStream& stream, const char* what, const RowPlan& plan, const Source& source, const Target& target,
                 const PartialResults<typename Kind::Value>& partials) {
  if (plan.lanes > 0) {
    const std::int64_t rows_per_block = RowPlan::threads / plan.lanes;
    launch(stream, what, one_block_each((plan.rows + rows_per_block - 1) / rows_per_block, RowPlan::threads),
           &reduce_rows_in_warps<Kind, n, Source, Target>, plan, source, target);
  } else {
    launch(stream, what, one_block_each(plan.rows * plan.parts, RowPlan::threads),
           &reduce_rows_in_blocks<Kind, n, Source, Target>, plan, source, target, partials);
  }
}

/// Enqueues the reduction. `widest` is the argument of the plan; `workspace` contains the plan's partial results.
template <class Kind, int widest, class Source, class Target>
void reduce_rows(GpuStream& stream, const char* what, const RowPlan& plan, const Source& source, const Target& target,
                 void* workspace) {
  using Value = typename Kind::Value;
  if (plan.rows == 0) return;
  const PartialResults<Value> partials{static_cast<Value*>(workspace), plan.parts, 1, stream.counters()};
  if (widest > 1 && plan.pack == widest) {
    launch_rows<Kind, widest>(stream, what, plan, source, target, partials);
  } else {
    launch_rows<Kind, 1>(stream, what, plan, source, target, partials);
  }
}

}  // namespace rhyton::gpu
