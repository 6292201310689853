#include <algorithm>
#include <bit>

#include <rhyton/framework/backends/gpu/primitives/indices.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/shaping/gather.h>
#include <rhyton/framework/ops/gather.h>

namespace rhyton::gpu {
namespace {

// A block owns some rows of the table and searches all indices for them. It lists the positions found, in their order,
// and then each thread adds the gradients of its own elements of the table: always in the order of the indices, without
// atomics and without sorting.

constexpr int threads = 256;
constexpr int rows_per_thread = 4;
constexpr int indices_per_thread = 4;
constexpr int indices_per_step = threads * indices_per_thread;
constexpr int list_length = 2 * indices_per_step;
/// Additions whose operands are loaded at the same time.
constexpr int loads_at_once = 16;

struct GatherGradientShape {
  std::int64_t count;
  std::int64_t limit;
  std::int64_t inner;
  /// Powers of two, whose product is `threads`: groups of threads add to different rows at the same time.
  int columns;
  int groups_log2;
  int rows_per_block;
  std::int64_t row_tiles;
  std::int64_t column_tiles;
  std::int64_t tiles;
};

/// The sum of the values of the threads before this one; `total` becomes the sum of all.
__device__ int exclusive_sum(int value, int* warp_totals, int& total) {
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
  for (int i = 0; i < threads / 32; ++i) {
    if (i < warp) before += warp_totals[i];
    total += warp_totals[i];
  }
  return before + inclusive - value;
}

/// `report` may be null: the indices have been checked elsewhere.
template <class T>
__global__ void __launch_bounds__(threads)
    gather_gradient(const T* dy, Indices indices, T* dx, GatherGradientShape shape, Report* report) {
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
    const T* const from = dy + outer * shape.count * shape.inner + column;
    Computed<T> sums[rows_per_thread] = {};
    int listed = 0;
    for (std::int64_t first = 0; first < shape.count; first += indices_per_step) {
      int found[indices_per_thread];
      int hits = 0;
      for (int i = 0; i < indices_per_thread; ++i) {
        const std::int64_t position = first + static_cast<int>(threadIdx.x) * indices_per_thread + i;
        found[i] = -1;
        if (position >= shape.count) continue;
        const std::int64_t index = indices[position];
        if (index < 0 || index >= shape.limit) {
          if (report != nullptr) note(report, Finding::index_out_of_range, index, shape.limit, position);
        } else if (index >= first_row && index < first_row + shape.rows_per_block) {
          found[i] = static_cast<int>(index - first_row);
          ++hits;
        }
      }
      int total = 0;
      int place = listed + exclusive_sum(hits, warp_totals, total);
      for (int i = 0; i < indices_per_thread; ++i) {
        if (found[i] < 0) continue;
        positions[place] = first + static_cast<int>(threadIdx.x) * indices_per_thread + i;
        rows[place] = found[i];
        ++place;
      }
      listed += total;
      __syncthreads();
      if (listed + indices_per_step <= list_length && first + indices_per_step < shape.count) continue;

      for (int begin = 0; begin < listed && column < shape.inner; begin += loads_at_once) {
        // Elements in the loaded type: converting one here would wait for its load.
        T values[loads_at_once];
        int own[loads_at_once];
        for (int i = 0; i < loads_at_once; ++i) {
          own[i] = -1;
          values[i] = T();
          if (begin + i >= listed) continue;
          const int row = rows[begin + i];
          if ((row & (groups - 1)) != group) continue;
          own[i] = row >> shape.groups_log2;
          values[i] = from[positions[begin + i] * shape.inner];
        }
        for (int i = 0; i < loads_at_once; ++i) {
          const Computed<T> value = number(values[i]);
          for (int k = 0; k < rows_per_thread; ++k) {
            if (own[i] == k) sums[k] += value;
          }
        }
      }
      listed = 0;
      __syncthreads();
    }
    for (int k = 0; k < rows_per_thread; ++k) {
      const int row = group + k * groups;
      if (row >= shape.rows_per_block || first_row + row >= shape.limit || column >= shape.inner) continue;
      dx[(outer * shape.limit + first_row + row) * shape.inner + column] = element<T>(sums[k]);
    }
  }
}

template <class T>
void add_rows(GpuStream& stream, const char* what, const TensorView& dy, const TensorView& indices,
              const TensorView& dx, int axis, Report* report) {
  const Shape& table = dx.shape();
  if (dx.size() == 0) return;
  constexpr std::int64_t wanted_blocks = 2 * 132;
  GatherGradientShape shape;
  shape.count = indices.size();
  shape.limit = table[axis];
  shape.inner = table.slice(axis + 1, table.rank()).size();
  const std::int64_t outer = table.slice(0, axis).size();
  shape.columns =
      static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(std::min<std::int64_t>(shape.inner, threads))));
  shape.groups_log2 = std::countr_zero(static_cast<unsigned>(threads / shape.columns));
  shape.column_tiles = (shape.inner + shape.columns - 1) / shape.columns;
  const std::int64_t max_rows = std::int64_t{rows_per_thread} << shape.groups_log2;
  const std::int64_t rows = shape.limit * outer * shape.column_tiles / wanted_blocks;
  shape.rows_per_block = static_cast<int>(std::clamp<std::int64_t>(rows, 1, max_rows));
  shape.row_tiles = (shape.limit + shape.rows_per_block - 1) / shape.rows_per_block;
  shape.tiles = outer * shape.row_tiles * shape.column_tiles;
  launch(stream, what, one_block_each(shape.tiles, threads), &gather_gradient<T>, dy.as<const T>(), Indices(indices),
         dx.as<T>(), shape, report);
}

template <class T>
void run_gather_gradient(const KernelArguments& arguments) {
  GpuStream& stream = stream_of(arguments);
  add_rows<T>(stream, "GatherGrad", arguments.inputs[0], arguments.inputs[1], arguments.outputs[0],
              arguments.attributes<GatherGradOp>().axis, stream.report());
}

/// The indices were checked when they were gathered.
template <class T>
void run_gather_rows_gradient(const KernelArguments& arguments) {
  add_rows<T>(stream_of(arguments), "GatherRowsGrad", arguments.inputs[1], arguments.inputs[2], arguments.outputs[0], 0,
              nullptr);
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("GatherGrad", dtype_of<T>, {.run = &run_gather_gradient<T>}), ...);
  (table.add("GatherRowsGrad", dtype_of<T>, {.run = &run_gather_rows_gradient<T>}), ...);
}

}  // namespace

void register_gather_gradient_kernels(KernelTable& table) {
  add_all<float, double, Half, BFloat16, std::int32_t, std::int64_t>(table);
}

}  // namespace rhyton::gpu
