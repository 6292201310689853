#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <rhyton/framework/backends/gpu/primitives/pack_access.h>
#include <rhyton/framework/backends/gpu/reduce/column_reduction.h>
#include <rhyton/framework/backends/gpu/reduce/reduced_layout.h>
#include <rhyton/framework/backends/gpu/reduce/row_reduction.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>
#include <rhyton/framework/ops/reduce.h>

// The kernels of the ops that reduce a tensor along axes. A Kind has types Element and Value, neutral(), join(a, b),
// value_of(element, position) of the element that is `position`-th along the reduced axes, and result(value), which
// returns an element of type Result.

namespace rhyton::gpu {

/// The kernels of Max and Min.
void register_reduce_extremum_kernels(KernelTable& table);
/// The kernels of ArgMax and ArgMin.
void register_reduce_position_kernels(KernelTable& table);

/// The offsets of elements when at most one axis is outer and at most one reduced.
struct DirectIndexing {
  std::int64_t outer_stride;
  std::int64_t row_stride;

  explicit DirectIndexing(const ReducedLayout& layout)
      : outer_stride(layout.outer.count == 0 ? 0 : layout.outer.strides[0]),
        row_stride(layout.rows.count == 0 ? 0 : layout.rows.strides[0]) {}

  __host__ __device__ std::int64_t of_outer(std::int64_t outer) const { return outer * outer_stride; }
  __host__ __device__ std::int64_t of_row(std::int64_t row) const { return row * row_stride; }
};

/// The offsets of elements in general.
struct StridedIndexing {
  AxisGroup outer;
  AxisGroup rows;

  explicit StridedIndexing(const ReducedLayout& layout) : outer(layout.outer), rows(layout.rows) {}

  __host__ __device__ std::int64_t of_outer(std::int64_t index) const { return offset(outer, index); }
  __host__ __device__ std::int64_t of_row(std::int64_t index) const { return offset(rows, index); }

 private:
  __host__ __device__ static std::int64_t offset(const AxisGroup& group, std::int64_t index) {
    std::int64_t result = 0;
    for (int axis = group.count - 1; axis > 0; --axis) {
      const std::int64_t rest = index / group.lengths[axis];
      result += (index - rest * group.lengths[axis]) * group.strides[axis];
      index = rest;
    }
    return result + index * group.strides[0];
  }
};

/// The elements of the input as a Source. `along_rows`: the n elements that are loaded together belong to the same
/// result.
template <class Kind, class Indexing, bool along_rows>
struct ElementSource {
  using Element = typename Kind::Element;

  const Element* x;
  Indexing indexing;
  bool aligned;

  template <int n>
  struct Column {
    const Element* from;
    const Indexing& indexing;
    bool aligned;

    __device__ void load(std::int64_t row, typename Kind::Value (&values)[n]) const {
      const Pack<Element, n> pack = load_pack<n>(from + indexing.of_row(row), aligned);
      for (int i = 0; i < n; ++i) values[i] = Kind::value_of(pack.values[i], along_rows ? row + i : row);
    }
  };

  template <int n>
  __device__ Column<n> at(std::int64_t outer, std::int64_t column) const {
    return {x + indexing.of_outer(outer) + column, indexing, aligned};
  }
};

template <class Kind>
struct ElementTarget {
  typename Kind::Result* y;
  std::int64_t columns;

  __device__ void store(std::int64_t outer, std::int64_t column, const typename Kind::Value& value) const {
    y[outer * columns + column] = Kind::result(value);
  }
};

/// The number of elements that a thread processes together; fewer where a value is much larger than its element.
template <class Kind>
inline constexpr int reduced_pack = sizeof(typename Kind::Value) > 8
                                        ? 1
                                        : (pack_width<typename Kind::Element> < 8 ? pack_width<typename Kind::Element>
                                                                                  : 8);

template <class Kind>
int pack_for(const ReducedLayout& layout) {
  return layout.is_direct() ? reduced_pack<Kind> : 1;
}

template <class Kind>
RowPlan row_plan(const ReducedLayout& layout) {
  return RowPlan(layout.outer.size(), layout.rows.size(), pack_for<Kind>(layout)).cut();
}

template <class Kind>
ColumnPlan column_plan(const ReducedLayout& layout) {
  return ColumnPlan(layout.outer.size(), layout.rows.size(), layout.columns, pack_for<Kind>(layout)).cut();
}

template <class Kind>
std::size_t reduction_workspace(const Shape& shape, std::span<const int> axes) {
  if (shape.size() == 0) return 0;
  const ReducedLayout layout(shape, axes);
  const std::size_t partial_results =
      layout.joins_last_axis() ? row_plan<Kind>(layout).partial_results() : column_plan<Kind>(layout).partial_results();
  return partial_results * sizeof(typename Kind::Value);
}

template <class Kind, class Indexing, int widest>
void enqueue_reduction(const KernelArguments& arguments, const ReducedLayout& layout) {
  GpuStream& stream = stream_of(arguments);
  const char* const what = arguments.op->name().data();
  const auto* const x = arguments.inputs[0].as<const typename Kind::Element>();
  const ElementTarget<Kind> target{arguments.outputs[0].as<typename Kind::Result>(), layout.columns};
  const Indexing indexing(layout);
  const bool aligned = is_aligned(x, widest * sizeof(typename Kind::Element));
  if (layout.joins_last_axis()) {
    reduce_rows<Kind, widest>(stream, what, row_plan<Kind>(layout),
                              ElementSource<Kind, Indexing, true>{x, indexing, aligned}, target, arguments.workspace);
  } else {
    reduce_columns<Kind, widest>(stream, what, column_plan<Kind>(layout),
                                 ElementSource<Kind, Indexing, false>{x, indexing, aligned}, target,
                                 arguments.workspace);
  }
}

/// Reduces input 0 along the axes into output 0. `joins_one_axis`: there is never more than one.
template <class Kind, bool joins_one_axis = false>
void reduce_along(const KernelArguments& arguments, std::span<const int> axes) {
  const Shape& shape = arguments.inputs[0].shape();
  if (arguments.outputs[0].size() == 0) return;
  if (shape.size() == 0) {
    // Each element of the output is an empty reduction.
    ReducedLayout nothing(Shape{}, axes);
    nothing.columns = arguments.outputs[0].size();
    nothing.rows.push_front(0, nothing.columns);
    return enqueue_reduction<Kind, DirectIndexing, reduced_pack<Kind>>(arguments, nothing);
  }
  const ReducedLayout layout(shape, axes);
  if constexpr (!joins_one_axis) {
    if (!layout.is_direct()) return enqueue_reduction<Kind, StridedIndexing, 1>(arguments, layout);
  }
  enqueue_reduction<Kind, DirectIndexing, reduced_pack<Kind>>(arguments, layout);
}

template <class Kind>
void run_reduce(const KernelArguments& arguments) {
  reduce_along<Kind>(arguments, arguments.attributes<ReduceOp>().axes);
}

template <class Kind>
std::size_t reduce_workspace(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  return reduction_workspace<Kind>(inputs[0].shape, static_cast<const ReduceOp&>(op).axes);
}

template <template <class> class Kind, class... T>
void add_reduce_kernels(KernelTable& table, std::string_view name) {
  (table.add(name, dtype_of<T>, {.run = &run_reduce<Kind<T>>, .workspace_bytes = &reduce_workspace<Kind<T>>}), ...);
}

}  // namespace rhyton::gpu
