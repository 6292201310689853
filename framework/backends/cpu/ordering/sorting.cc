#include <rhyton/framework/ops/sorting.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

/// An element and its position along the axis.
template <class T>
struct Entry {
  T value;
  std::int32_t position;
};

/// Whether a comes before b: by value, NaN as the largest, and of equal ones by position.
template <bool descending>
struct IsBefore {
  template <class T>
  bool operator()(const Entry<T>& a, const Entry<T>& b) const {
    if (a.value < b.value) return !descending;
    if (b.value < a.value) return descending;
    const bool a_is_nan = a.value != a.value;
    const bool b_is_nan = b.value != b.value;
    return a_is_nan == b_is_nan ? a.position < b.position : b_is_nan != descending;
  }
};

template <class T, class Before>
void order(Entry<T>* entries, std::int64_t length, std::int64_t count, const Before& before) {
  if (count < length) std::nth_element(entries, entries + count, entries + length, before);
  std::sort(entries, entries + count, before);
}

template <class T>
void run_sort(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<SortOp>();
  const Shape& shape = arguments.inputs[0].shape();
  const std::int64_t outer = shape.slice(0, op.axis).size();
  const std::int64_t length = shape[op.axis];
  const std::int64_t inner = shape.slice(op.axis + 1, shape.rank()).size();
  const T* x = arguments.inputs[0].as<const T>();
  T* values = arguments.outputs[0].as<T>();
  auto* positions = arguments.outputs[1].as<std::int32_t>();
  auto* const entries = static_cast<Entry<T>*>(arguments.workspace);
  for (std::int64_t o = 0; o < outer; ++o, x += length * inner) {
    for (std::int64_t k = 0; k < inner; ++k) {
      for (std::int64_t i = 0; i < length; ++i) entries[i] = {x[i * inner + k], static_cast<std::int32_t>(i)};
      if (op.descending) {
        order(entries, length, op.count, IsBefore<true>());
      } else {
        order(entries, length, op.count, IsBefore<false>());
      }
      for (std::int64_t i = 0; i < op.count; ++i) {
        values[i * inner + k] = entries[i].value;
        positions[i * inner + k] = entries[i].position;
      }
    }
    values += op.count * inner;
    positions += op.count * inner;
  }
}

template <class T>
std::size_t sort_workspace(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const int axis = static_cast<const SortOp&>(op).axis;
  return static_cast<std::size_t>(inputs[0].shape[axis]) * sizeof(Entry<T>);
}

template <class T>
void run_search(const KernelArguments& arguments) {
  const bool is_right = arguments.attributes<SearchSortedOp>().side == SearchSide::right;
  const T* first = arguments.inputs[0].as<const T>();
  const T* last = first + arguments.inputs[0].size();
  const T* values = arguments.inputs[1].as<const T>();
  auto* const y = arguments.outputs[0].as<std::int32_t>();
  const std::int64_t count = arguments.inputs[1].size();
  for (std::int64_t i = 0; i < count; ++i) {
    const T* place = is_right ? std::upper_bound(first, last, values[i]) : std::lower_bound(first, last, values[i]);
    y[i] = static_cast<std::int32_t>(place - first);
  }
}

template <class T>
void add_sort(KernelTable& table, DType dtype) {
  table.add("Sort", dtype, {.run = &run_sort<T>, .workspace_bytes = &sort_workspace<T>});
}

template <class... T>
void add(KernelTable& table) {
  (add_sort<T>(table, dtype_of<T>), ...);
  (table.add("SearchSorted", dtype_of<T>, {.run = &run_search<T>}), ...);
}

}  // namespace

void register_sorting_kernels(KernelTable& table) {
  add<float, double, std::int32_t, std::int64_t, std::uint8_t>(table);
  // False and true are the bytes 0 and 1.
  add_sort<std::uint8_t>(table, DType::bool_);
}

}  // namespace rhyton::cpu
