#include <rhyton/framework/ops/cumulative.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/registration.h>

namespace rhyton::gpu {
namespace {

/// Sums or products of elements. Integers are joined modulo their range.
template <class T, bool is_sum>
struct Running {
  using Element = T;
  /// Parts of a floating product may be too large or too small for a number where the product itself is not.
  static constexpr bool is_in_order = !is_sum && !std::is_integral_v<T>;
  using Value = std::conditional_t<std::is_integral_v<T>,
                                   std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>, Computed<T>>;

  /// For floating numbers -0, to which any of them, another -0 too, is added without a change.
  __device__ static Value neutral() { return is_sum ? (std::is_integral_v<T> ? Value(0) : -Value(0)) : Value(1); }
  __device__ static Value join(Value a, Value b) { return is_sum ? a + b : a * b; }
  __device__ static Value value_of(const T& x) { return static_cast<Value>(number(x)); }
  __device__ static T result(Value value) { return element<T>(static_cast<Computed<T>>(value)); }
};

/// The lines along the axis, and how the work is distributed. It depends on the shape only.
struct Lines {
  static constexpr int max_threads = 256;
  static constexpr int elements_per_thread = 4;

  std::int64_t count;
  std::int64_t length;
  std::int64_t inner;
  bool reverse;
  /// A thread processes whole lines, one element after the other: that is required, there are enough lines, or they are
  /// short.
  bool one_thread_each;
  /// Otherwise blocks of that many threads process one part of a line each.
  unsigned threads;
  std::int64_t parts = 1;
  std::int64_t per_part;

  /// `is_in_order`: elements must be joined one after the other.
  Lines(const CumulativeOp& op, const Shape& shape, bool is_in_order)
      : count(shape.slice(0, op.axis).size() * shape.slice(op.axis + 1, shape.rank()).size()),
        length(shape[op.axis]),
        inner(shape.slice(op.axis + 1, shape.rank()).size()),
        reverse(op.reverse),
        per_part(length) {
    constexpr std::int64_t enough_blocks = 264;
    constexpr std::int64_t least_per_part = std::int64_t{4} * max_threads * elements_per_thread;
    one_thread_each = is_in_order || length <= 16 || (inner >= 32 && count >= 4096);
    const std::int64_t wanted_threads = (length + elements_per_thread - 1) / elements_per_thread;
    threads =
        static_cast<unsigned>(std::clamp<std::int64_t>((wanted_threads + 31) / 32 * 32, 32, std::int64_t{max_threads}));
    if (one_thread_each || count == 0) return;
    const std::int64_t wanted = std::min(enough_blocks / count, length / least_per_part);
    if (wanted < 2) return;
    per_part = (length + wanted - 1) / wanted;
    parts = (length + per_part - 1) / per_part;
  }

  /// Where element `position` of a line is.
  __device__ std::int64_t place(std::int64_t line, std::int64_t position) const {
    const std::int64_t outer = line / inner;
    const std::int64_t row = reverse ? length - 1 - position : position;
    return (outer * length + row) * inner + (line - outer * inner);
  }
};

template <class R>
__global__ void scan_lines(const typename R::Element* x, typename R::Element* y, Lines lines) {
  constexpr int loads_at_once = 8;
  for_each_index(lines.count, [&](std::int64_t line) {
    const std::int64_t first = lines.place(line, 0);
    const std::int64_t step = lines.reverse ? -lines.inner : lines.inner;
    typename R::Value running = R::neutral();
    for (std::int64_t begin = 0; begin < lines.length; begin += loads_at_once) {
      typename R::Element loaded[loads_at_once];
      for (int i = 0; i < loads_at_once; ++i) {
        if (begin + i < lines.length) loaded[i] = x[first + (begin + i) * step];
      }
      for (int i = 0; i < loads_at_once; ++i) {
        if (begin + i >= lines.length) break;
        running = R::join(running, R::value_of(loaded[i]));
        y[first + (begin + i) * step] = R::result(running);
      }
    }
  });
}

/// Scans parts of lines. `finds_totals`: only joins the elements of each part, for the parts behind it.
template <class R, bool finds_totals>
__global__ void __launch_bounds__(Lines::max_threads)
    scan_parts(const typename R::Element* x, typename R::Element* y, Lines lines, typename R::Value* totals) {
  using Value = typename R::Value;
  constexpr int own = Lines::elements_per_thread;
  constexpr int warp_size = 32;
  __shared__ Value of_warps[Lines::max_threads / warp_size];
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  for (std::int64_t block = blockIdx.x; block < lines.count * lines.parts; block += gridDim.x) {
    const std::int64_t line = block / lines.parts;
    const std::int64_t part = block - line * lines.parts;
    const std::int64_t begin = part * lines.per_part;
    const std::int64_t end = begin + lines.per_part < lines.length ? begin + lines.per_part : lines.length;
    const std::int64_t first = lines.place(line, 0);
    const std::int64_t step = lines.reverse ? -lines.inner : lines.inner;
    Value carry = R::neutral();
    if constexpr (!finds_totals) {
      for (std::int64_t before = line * lines.parts; before < block; ++before) carry = R::join(carry, totals[before]);
    }
    for (std::int64_t tile = begin; tile < end; tile += static_cast<std::int64_t>(blockDim.x) * own) {
      const std::int64_t position = tile + static_cast<std::int64_t>(threadIdx.x) * own;
      Value values[own];
      for (int i = 0; i < own; ++i) {
        values[i] = position + i < end ? R::value_of(x[first + (position + i) * step]) : R::neutral();
      }
      for (int i = 1; i < own; ++i) values[i] = R::join(values[i - 1], values[i]);
      Value inclusive = values[own - 1];
      for (int distance = 1; distance < warp_size; distance *= 2) {
        const Value other = __shfl_up_sync(0xFFFFFFFFU, inclusive, static_cast<unsigned>(distance));
        if (lane >= distance) inclusive = R::join(other, inclusive);
      }
      const Value exclusive = __shfl_up_sync(0xFFFFFFFFU, inclusive, 1U);
      if (lane == warp_size - 1) of_warps[warp] = inclusive;
      __syncthreads();
      Value before = carry;
      for (int i = 0; i < warps; ++i) {
        if (i < warp) before = R::join(before, of_warps[i]);
        carry = R::join(carry, of_warps[i]);
      }
      if (lane > 0) before = R::join(before, exclusive);
      if constexpr (!finds_totals) {
        for (int i = 0; i < own; ++i) {
          if (position + i < end) y[first + (position + i) * step] = R::result(R::join(before, values[i]));
        }
      }
      // The next tile writes the same memory.
      __syncthreads();
    }
    if (finds_totals && threadIdx.x == 0) totals[block] = carry;
  }
}

template <class R>
void run_cumulative(const KernelArguments& arguments) {
  using T = typename R::Element;
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  const Lines lines(arguments.attributes<CumulativeOp>(), x.shape(), R::is_in_order);
  const char* const what = arguments.op->name().data();
  GpuStream& stream = stream_of(arguments);
  if (lines.one_thread_each) {
    return launch(stream, what, one_thread_each(lines.count), &scan_lines<R>, x.as<const T>(), y.as<T>(), lines);
  }
  auto* const totals = static_cast<typename R::Value*>(arguments.workspace);
  const LaunchShape blocks = one_block_each(lines.count * lines.parts, lines.threads);
  if (lines.parts > 1) launch(stream, what, blocks, &scan_parts<R, true>, x.as<const T>(), y.as<T>(), lines, totals);
  launch(stream, what, blocks, &scan_parts<R, false>, x.as<const T>(), y.as<T>(), lines, totals);
}

template <class R>
std::size_t cumulative_workspace(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const Lines lines(static_cast<const CumulativeOp&>(op), inputs[0].shape, R::is_in_order);
  if (lines.parts == 1) return 0;
  return static_cast<std::size_t>(lines.count * lines.parts) * sizeof(typename R::Value);
}

template <class R>
constexpr Kernel cumulative_kernel = {.run = &run_cumulative<R>, .workspace_bytes = &cumulative_workspace<R>};

template <class... T>
void add_all(KernelTable& table) {
  (table.add("Cumsum", dtype_of<T>, cumulative_kernel<Running<T, true>>), ...);
  (table.add("Cumprod", dtype_of<T>, cumulative_kernel<Running<T, false>>), ...);
}

}  // namespace

void register_cumulative_kernels(KernelTable& table) {
  add_all<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table);
}

}  // namespace rhyton::gpu
