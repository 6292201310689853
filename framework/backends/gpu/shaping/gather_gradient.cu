#include <rhyton/framework/backends/elementwise/binary.h>
#include <rhyton/framework/backends/gpu/shaping/gather.h>
#include <rhyton/framework/backends/gpu/shaping/indexed_rows.h>
#include <rhyton/framework/ops/gather.h>

namespace rhyton::gpu {
namespace {

/// Sums of the gradients that were gathered from a row. `report` may be null: the indices have been checked elsewhere.
template <class T>
struct AddedRows : ElementRows<T> {
  using Value = typename ElementRows<T>::Value;

  Report* report;

  __device__ std::int64_t row_of(std::int64_t index, std::int64_t limit, std::int64_t number) const {
    if (index >= 0 && index < limit) return index;
    if (report != nullptr) note(report, Finding::index_out_of_range, index, limit, number);
    return -1;
  }
  __device__ Value first(std::int64_t) const { return Value(0); }
  __device__ static Value join(Value sum, Value update) { return elementwise::Add()(sum, update); }
};

template <class T>
void add_rows(GpuStream& stream, const char* what, const TensorView& dy, const TensorView& indices,
              const TensorView& dx, int axis, Report* report) {
  const Shape& table = dx.shape();
  const IndexedRowsShape shape(table.slice(0, axis).size(), indices.size(), table[axis],
                               table.slice(axis + 1, table.rank()).size(), 0);
  launch_indexed_rows(stream, what, indices, shape, AddedRows<T>{{dy.as<const T>(), dx.as<T>()}, report});
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
