#include <rhyton/framework/ops/scatter.h>

#include <cstdint>
#include <string_view>

#include <rhyton/framework/backends/elementwise/binary.h>
#include <rhyton/framework/backends/gpu/primitives/indices.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/shaping/indexed_rows.h>

namespace rhyton::gpu {
namespace {

struct AxisLengths {
  int count = 0;
  std::int64_t of[Shape::max_rank] = {};
};

/// The number of a place with an index out of range is -1.
__global__ void ravel_indices(Indices indices, std::int64_t* y, std::int64_t count, AxisLengths lengths,
                              Report* report) {
  for_each_index(count, [&](std::int64_t i) {
    std::int64_t row = 0;
    for (int axis = 0; axis < lengths.count; ++axis) {
      const std::int64_t number = i * lengths.count + axis;
      const std::int64_t index = indices[number];
      const bool is_inside = index >= 0 && index < lengths.of[axis];
      if (!is_inside) note(report, Finding::index_out_of_range, index, lengths.of[axis], number);
      row = is_inside && row >= 0 ? row * lengths.of[axis] + index : -1;
    }
    y[i] = row;
  });
}

void run_ravel(const KernelArguments& arguments) {
  const Shape& whole = arguments.attributes<RavelIndicesOp>().whole;
  const TensorView& indices = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  AxisLengths lengths;
  lengths.count = static_cast<int>(indices.shape()[indices.shape().rank() - 1]);
  for (int axis = 0; axis < lengths.count; ++axis) lengths.of[axis] = whole[axis];
  GpuStream& stream = stream_of(arguments);
  launch(stream, "RavelIndices", one_thread_each(y.size()), &ravel_indices, Indices(indices), y.as<std::int64_t>(),
         y.size(), lengths, stream.report());
}

/// The update that takes effect last.
struct Replace {
  template <class T>
  __device__ T operator()(T, T update) const {
    return update;
  }
};

/// Rows of a table, each joined with its updates. Rows out of range were reported where they were computed.
template <class Join, class T>
struct JoinedRows : ElementRows<T> {
  using Value = typename ElementRows<T>::Value;

  const T* table;

  __device__ std::int64_t row_of(std::int64_t row, std::int64_t, std::int64_t) const { return row; }
  __device__ Value first(std::int64_t place) const { return number(table[place]); }
  __device__ static Value join(Value value, Value update) { return Join()(value, update); }
};

template <class Join, class T>
void run_rows(const KernelArguments& arguments) {
  const TensorView& table = arguments.inputs[0];
  const TensorView& rows = arguments.inputs[1];
  if (table.size() == 0) return;
  const IndexedRowsShape shape(1, rows.size(), table.shape()[0], table.shape()[1], 0);
  launch_indexed_rows(
      stream_of(arguments), arguments.op->name().data(), rows, shape,
      JoinedRows<Join, T>{{arguments.inputs[2].as<const T>(), arguments.outputs[0].as<T>()}, table.as<const T>()});
}

/// Elements are only moved, so that a kernel depends on their size and not on their dtype.
void run_update(const KernelArguments& arguments) {
  with_word(size_of(arguments.outputs[0].spec.dtype), [&](auto word) {
    using Word = decltype(word);
    if constexpr (sizeof(Word) <= 8) run_rows<Replace, Word>(arguments);
  });
}

template <class Join, class... T>
void add_joins(KernelTable& table, std::string_view name) {
  (table.add(name, dtype_of<T>, {.run = &run_rows<Join, T>}), ...);
}

}  // namespace

void register_scatter_kernels(KernelTable& table) {
  table.add("RavelIndices", DType::int32, {.run = &run_ravel});
  table.add("RavelIndices", DType::int64, {.run = &run_ravel});
  for (const DType dtype : all_dtypes) {
    table.add("ScatterRowsUpdate", dtype, {.run = &run_update});
  }
  using elementwise::Maximum, elementwise::Minimum, elementwise::Multiply;
  add_joins<Maximum, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table, "ScatterRowsMax");
  add_joins<Minimum, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table, "ScatterRowsMin");
  add_joins<Multiply, float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table, "ScatterRowsMul");
}

}  // namespace rhyton::gpu
