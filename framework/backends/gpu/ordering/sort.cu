#include <algorithm>
#include <bit>
#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/ops/sorting.h>

// Bitonic sorting. The lines along the axis are entries one behind the other, each padded to a power of two. Stage s
// makes sorted sequences of 2^s entries, in steps that compare entries at the distances 2^(s-1), ..., 2, 1. Distances
// within a tile are processed in a block's memory, where a tile has a part of a line or several whole ones; only longer
// lines are ever stored as entries. The order of equal elements is that of their positions, so that the result does not
// depend on the way there.

namespace rhyton::gpu {
namespace {

/// An element and its position along the axis, -1 for padding.
template <class T>
struct Entry {
  T value;
  std::int32_t position;
};

constexpr int tile_log2 = 10;
constexpr int tile_entries = 1 << tile_log2;
constexpr int threads = tile_entries / 2;

struct SortedLines {
  std::int64_t count;
  std::int64_t length;
  std::int64_t inner;
  /// The number of elements of each that are wanted.
  std::int64_t wanted;
  bool descending;
  int padded_log2;

  SortedLines(const SortOp& op, const Shape& shape)
      : count(shape.slice(0, op.axis).size() * shape.slice(op.axis + 1, shape.rank()).size()),
        length(shape[op.axis]),
        inner(shape.slice(op.axis + 1, shape.rank()).size()),
        wanted(op.count),
        descending(op.descending),
        padded_log2(
            static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(length, 1) - 1)))) {}

  /// Whole tiles.
  std::int64_t entries() const { return ((count << padded_log2) + tile_entries - 1) / tile_entries * tile_entries; }
  bool fit_in_tiles() const { return padded_log2 <= tile_log2; }

  __device__ std::int64_t line_of(std::int64_t entry) const { return entry >> padded_log2; }
  __device__ std::int64_t position_of(std::int64_t entry) const {
    return entry & ((std::int64_t{1} << padded_log2) - 1);
  }
  /// Where element `position` of a line is, if the lines have `elements` each.
  __device__ std::int64_t place(std::int64_t line, std::int64_t position, std::int64_t elements) const {
    const std::int64_t outer = line / inner;
    return (outer * elements + position) * inner + (line - outer * inner);
  }
};

/// Whether a comes before b: by value, NaN as the largest, of equal ones by position, and padding at the end.
template <class T>
__device__ bool is_before(const Entry<T>& a, const Entry<T>& b, bool descending) {
  if (a.position < 0 || b.position < 0) return b.position < 0 && a.position >= 0;
  const Computed<T> first = number(a.value);
  const Computed<T> second = number(b.value);
  if (first < second) return !descending;
  if (second < first) return descending;
  const bool first_is_nan = first != first;
  const bool second_is_nan = second != second;
  return first_is_nan == second_is_nan ? a.position < b.position : second_is_nan != descending;
}

/// The first entry of a pair, whose second one is at that distance behind it.
__device__ inline std::int64_t first_of_pair(std::int64_t pair, int distance_log2) {
  const std::int64_t in_group = pair & ((std::int64_t{1} << distance_log2) - 1);
  return ((pair - in_group) << 1) + in_group;
}

/// Puts two entries in the order that the stage needs. `entry`: the number of the first one.
template <class T>
__device__ void order_pair(Entry<T>& a, Entry<T>& b, std::int64_t entry, int stage, const SortedLines& lines) {
  const bool forward = ((lines.position_of(entry) >> stage) & 1) == 0;
  if (!is_before(forward ? b : a, forward ? a : b, lines.descending)) return;
  const Entry<T> other = a;
  a = b;
  b = other;
}

/// The steps within tiles of some stages. The entries are loaded from x where `entries` is null or these are the first
/// stages, and the last stages store the results.
template <class T>
__global__ void __launch_bounds__(threads)
    sort_tiles(const T* x, Entry<T>* entries, T* values, std::int32_t* positions, std::int64_t count, int first_stage,
               int last_stage, SortedLines lines) {
  __shared__ Entry<T> tile[tile_entries];
  const int thread = static_cast<int>(threadIdx.x);
  for (std::int64_t base = static_cast<std::int64_t>(blockIdx.x) * tile_entries; base < count;
       base += static_cast<std::int64_t>(gridDim.x) * tile_entries) {
    for (int i = thread; i < tile_entries; i += threads) {
      const std::int64_t line = lines.line_of(base + i);
      const std::int64_t position = lines.position_of(base + i);
      if (first_stage > 1) {
        tile[i] = entries[base + i];
      } else if (line < lines.count && position < lines.length) {
        tile[i] = {x[lines.place(line, position, lines.length)], static_cast<std::int32_t>(position)};
      } else {
        tile[i] = {T(), -1};
      }
    }
    __syncthreads();
    for (int stage = first_stage; stage <= last_stage; ++stage) {
      for (int distance = (stage < tile_log2 ? stage : tile_log2) - 1; distance >= 0; --distance) {
        const auto first = static_cast<int>(first_of_pair(thread, distance));
        order_pair(tile[first], tile[first + (1 << distance)], base + first, stage, lines);
        __syncthreads();
      }
    }
    for (int i = thread; i < tile_entries; i += threads) {
      const std::int64_t line = lines.line_of(base + i);
      const std::int64_t position = lines.position_of(base + i);
      if (last_stage < lines.padded_log2) {
        entries[base + i] = tile[i];
      } else if (line < lines.count && position < lines.wanted) {
        const std::int64_t place = lines.place(line, position, lines.wanted);
        values[place] = tile[i].value;
        positions[place] = tile[i].position;
      }
    }
    __syncthreads();
  }
}

/// One step at a distance beyond a tile.
template <class T>
__global__ void order_pairs(Entry<T>* entries, std::int64_t pairs, int distance, int stage, SortedLines lines) {
  for_each_index(pairs, [&](std::int64_t pair) {
    const std::int64_t first = first_of_pair(pair, distance);
    order_pair(entries[first], entries[first + (std::int64_t{1} << distance)], first, stage, lines);
  });
}

template <class T>
void run_sort(const KernelArguments& arguments) {
  const SortedLines lines(arguments.attributes<SortOp>(), arguments.inputs[0].shape());
  const TensorView& values = arguments.outputs[0];
  const TensorView& positions = arguments.outputs[1];
  if (values.size() == 0) return;
  GpuStream& stream = stream_of(arguments);
  const std::int64_t count = lines.entries();
  auto* const entries = static_cast<Entry<T>*>(arguments.workspace);
  const auto sort_in_tiles = [&](int first_stage, int last_stage) {
    launch(stream, "Sort", one_block_each(count / tile_entries, threads), &sort_tiles<T>,
           arguments.inputs[0].as<const T>(), entries, values.as<T>(), positions.as<std::int32_t>(), count, first_stage,
           last_stage, lines);
  };
  sort_in_tiles(1, std::min(lines.padded_log2, tile_log2));
  for (int stage = tile_log2 + 1; stage <= lines.padded_log2; ++stage) {
    for (int distance = stage - 1; distance >= tile_log2; --distance) {
      launch(stream, "Sort", one_thread_each(count / 2), &order_pairs<T>, entries, count / 2, distance, stage, lines);
    }
    sort_in_tiles(stage, stage);
  }
}

template <class T>
std::size_t sort_workspace(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const SortedLines lines(static_cast<const SortOp&>(op), inputs[0].shape);
  return lines.fit_in_tiles() ? 0 : static_cast<std::size_t>(lines.entries()) * sizeof(Entry<T>);
}

template <class T>
void add_sort(KernelTable& table, DType dtype) {
  table.add("Sort", dtype, {.run = &run_sort<T>, .workspace_bytes = &sort_workspace<T>});
}

template <class... T>
void add_all(KernelTable& table) {
  (add_sort<T>(table, dtype_of<T>), ...);
}

}  // namespace

void register_sort_kernels(KernelTable& table) {
  add_all<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table);
  // False and true are the bytes 0 and 1.
  add_sort<std::uint8_t>(table, DType::bool_);
}

}  // namespace rhyton::gpu
