#include <rhyton/framework/ops/segments.h>

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <rhyton/framework/backends/elementwise/binary.h>
#include <rhyton/framework/backends/gpu/primitives/limits.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/shaping/indexed_rows.h>

namespace rhyton::gpu {
namespace {

/// The largest finite number of elements `T`.
template <class T>
constexpr Computed<T> largest() {
  if constexpr (std::is_same_v<T, Half>) {
    return 65504.0F;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return 0x1.FEp127F;
  } else {
    return largest_number<T>;
  }
}

template <class T>
constexpr Computed<T> lowest() {
  if constexpr (std::is_integral_v<T>) {
    return lowest_number<T>;
  } else {
    return -largest<T>();
  }
}

/// Segments of rows that are joined, each beginning with `empty`.
template <class Join, class T>
struct Segments : ElementRows<T> {
  using Value = typename ElementRows<T>::Value;

  Value empty;
  Report* report;

  __device__ std::int64_t row_of(std::int64_t id, std::int64_t limit, std::int64_t number) const {
    if (id < limit) return id;
    note(report, Finding::segment_out_of_range, id, limit, number);
    return -1;
  }
  __device__ Value first(std::int64_t) const { return empty; }
  __device__ static Value join(Value value, Value update) { return Join()(value, update); }
};

template <class Join, class T>
void run_segments(const KernelArguments& arguments, Computed<T> empty) {
  const TensorView& data = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  const IndexedRowsShape shape(1, data.shape()[0], y.shape()[0], data.shape().slice(1, data.shape().rank()).size(), 0);
  GpuStream& stream = stream_of(arguments);
  launch_indexed_rows(stream, arguments.op->name().data(), arguments.inputs[1], shape,
                      Segments<Join, T>{{data.as<const T>(), y.as<T>()}, empty, stream.report()});
}

template <class T>
void run_sum(const KernelArguments& arguments) {
  run_segments<elementwise::Add, T>(arguments, 0);
}

template <class T>
void run_product(const KernelArguments& arguments) {
  run_segments<elementwise::Multiply, T>(arguments, 1);
}

template <class T>
void run_max(const KernelArguments& arguments) {
  run_segments<elementwise::Maximum, T>(arguments, lowest<T>());
}

template <class T>
void run_min(const KernelArguments& arguments) {
  run_segments<elementwise::Minimum, T>(arguments, largest<T>());
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("UnsortedSegmentSum", dtype_of<T>, {.run = &run_sum<T>}), ...);
  (table.add("UnsortedSegmentProd", dtype_of<T>, {.run = &run_product<T>}), ...);
  (table.add("UnsortedSegmentMax", dtype_of<T>, {.run = &run_max<T>}), ...);
  (table.add("UnsortedSegmentMin", dtype_of<T>, {.run = &run_min<T>}), ...);
}

}  // namespace

void register_segment_kernels(KernelTable& table) {
  add_all<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table);
}

}  // namespace rhyton::gpu
