#include <rhyton/framework/ops/category_counts.h>

#include <cstdint>

#include <rhyton/framework/backends/elementwise/binary.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/shaping/indexed_rows.h>

namespace rhyton::gpu {
namespace {

/// The sums of the weights of each category, 1 where there are none.
template <class T>
struct CountedCategories : ElementRows<T> {
  using Value = typename ElementRows<T>::Value;

  bool only_presence;
  bool refuses_negative;
  Report* report;

  __device__ std::int64_t row_of(std::int64_t category, std::int64_t limit, std::int64_t number) const {
    if (category < 0 && refuses_negative) note(report, Finding::negative_category, category, limit, number);
    return category < limit ? category : -1;
  }
  __device__ T load(std::int64_t place) const {
    return this->updates == nullptr ? element<T>(Value(1)) : this->updates[place];
  }
  __device__ Value first(std::int64_t) const { return Value(0); }
  __device__ Value join(Value count, Value update) const {
    return only_presence ? Value(1) : elementwise::Add()(count, update);
  }
};

template <class T>
void run_category_counts(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<CategoryCountsOp>();
  const TensorView& categories = arguments.inputs[0];
  const int last = categories.shape().rank() - 1;
  const std::int64_t length = categories.shape()[last];
  const IndexedRowsShape shape(categories.shape().slice(0, last).size(), length, op.depth, 1, length);
  GpuStream& stream = stream_of(arguments);
  const T* const weights = arguments.inputs.size() > 1 ? arguments.inputs[1].as<const T>() : nullptr;
  launch_indexed_rows(stream, "DenseBincount", categories, shape,
                      CountedCategories<T>{{weights, arguments.outputs[0].as<T>()},
                                           op.counting == CategoryCounting::presence,
                                           op.negative == NegativeCategories::refused,
                                           stream.report()});
}

template <class... T>
void add_category_counts(KernelTable& table) {
  (table.add("DenseBincount", dtype_of<T>, {.run = &run_category_counts<T>}), ...);
}

}  // namespace

void register_category_count_kernels(KernelTable& table) {
  add_category_counts<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table);
}

}  // namespace rhyton::gpu
