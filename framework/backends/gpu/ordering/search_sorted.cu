#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/ops/sorting.h>

namespace rhyton::gpu {
namespace {

template <class T>
__global__ void search_sorted(const T* sequence, std::int64_t length, const T* values, std::int32_t* y,
                              std::int64_t size, bool is_right) {
  for_each_index(size, [&](std::int64_t i) {
    const Computed<T> value = number(values[i]);
    std::int64_t first = 0;
    for (std::int64_t left = length; left > 0;) {
      const std::int64_t half = left / 2;
      const Computed<T> other = number(sequence[first + half]);
      if (is_right ? !(value < other) : other < value) {
        first += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    y[i] = static_cast<std::int32_t>(first);
  });
}

template <class T>
void run_search(const KernelArguments& arguments) {
  const TensorView& sequence = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  launch(stream_of(arguments), "SearchSorted", one_thread_each(y.size()), &search_sorted<T>, sequence.as<const T>(),
         sequence.size(), arguments.inputs[1].as<const T>(), y.as<std::int32_t>(), y.size(),
         arguments.attributes<SearchSortedOp>().side == SearchSide::right);
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("SearchSorted", dtype_of<T>, {.run = &run_search<T>}), ...);
}

}  // namespace

void register_search_sorted_kernels(KernelTable& table) {
  add_all<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>(table);
}

}  // namespace rhyton::gpu
