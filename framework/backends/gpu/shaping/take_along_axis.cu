#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/elementwise/binary.h>
#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/primitives/indices.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/shaping/indexed_rows.h>
#include <rhyton/framework/ops/indexing.h>

namespace rhyton::gpu {
namespace {

/// The lengths of the axis in x and of that of the indices, and of what is behind them.
template <class Index>
struct TakenAxis {
  std::int64_t limit;
  Divisor<Index> count;
  Divisor<Index> inner;
};

/// The index counted from the front, -1 where it is out of range, which is reported.
__device__ std::int64_t checked(std::int64_t given, std::int64_t limit, std::int64_t number, Report* report) {
  const std::int64_t index = given < 0 ? given + limit : given;
  if (index >= 0 && index < limit) return index;
  note(report, Finding::index_out_of_range, index, limit, number);
  return -1;
}

template <class Word, class Index>
__global__ void take_along_axis(const Word* x, Indices indices, Word* y, std::int64_t size, TakenAxis<Index> axis,
                                Report* report) {
  for_each_index(size, [&](std::int64_t i) {
    const Index row = axis.inner.quotient(static_cast<Index>(i));
    const Index column = static_cast<Index>(i) - row * axis.inner.value();
    const std::int64_t outer = axis.count.quotient(row);
    const std::int64_t index = checked(indices[i], axis.limit, i, report);
    y[i] = index < 0 ? Word() : x[(outer * axis.limit + index) * axis.inner.value() + column];
  });
}

void run_take(const KernelArguments& arguments) {
  const int axis = arguments.attributes<TakeAlongAxisOp>().axis;
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  const std::int64_t size = y.size();
  if (size == 0) return;
  const Indices indices(arguments.inputs[1]);
  GpuStream& stream = stream_of(arguments);
  with_word(size_of(y.spec.dtype), [&](auto word) {
    using Word = decltype(word);
    with_index_type(size, [&](auto index) {
      using Index = decltype(index);
      const TakenAxis<Index> taken = {x.shape()[axis], Divisor<Index>(y.shape()[axis]),
                                      Divisor<Index>(y.shape().slice(axis + 1, y.shape().rank()).size())};
      launch(stream, "TakeAlongAxis", one_thread_each(size), &take_along_axis<Word, Index>, x.as<const Word>(), indices,
             y.as<Word>(), size, taken, stream.report());
    });
  });
}

/// Sums of the gradients of each element, where the indices of an axis are neighbours.
template <class T>
struct AddedElements : ElementRows<T> {
  using Value = typename ElementRows<T>::Value;

  Report* report;

  __device__ std::int64_t row_of(std::int64_t index, std::int64_t limit, std::int64_t number) const {
    return checked(index, limit, number, report);
  }
  __device__ Value first(std::int64_t) const { return Value(0); }
  __device__ static Value join(Value sum, Value update) { return elementwise::Add()(sum, update); }
};

/// The same where neighbouring indices belong to different elements: each thread searches the indices of its element.
template <class T>
__global__ void add_along_axis(const T* dy, Indices indices, T* dx, std::int64_t size, std::int64_t limit,
                               std::int64_t count, std::int64_t inner, Report* report) {
  for_each_index(size, [&](std::int64_t i) {
    const std::int64_t row = i / inner;
    const std::int64_t outer = row / limit;
    const std::int64_t own = row - outer * limit;
    const std::int64_t first = outer * count * inner + (i - row * inner);
    Computed<T> sum = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t place = first + k * inner;
      const std::int64_t given = indices[place];
      if (given == own || given + limit == own) sum += number(dy[place]);
      // One of the threads that read an index checks it.
      if (own == 0) checked(given, limit, place, report);
    }
    dx[i] = element<T>(sum);
  });
}

/// The same for many columns: each thread goes once through those of its column, which only it writes.
template <class T>
__global__ void add_columns(const T* dy, Indices indices, T* dx, std::int64_t columns, std::int64_t limit,
                            std::int64_t count, std::int64_t inner, Report* report) {
  for_each_index(columns, [&](std::int64_t i) {
    const std::int64_t outer = i / inner;
    T* const own = dx + outer * limit * inner + (i - outer * inner);
    const std::int64_t first = outer * count * inner + (i - outer * inner);
    for (std::int64_t row = 0; row < limit; ++row) own[row * inner] = T(0);
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t place = first + k * inner;
      const std::int64_t row = checked(indices[place], limit, place, report);
      if (row >= 0) own[row * inner] += dy[place];
    }
  });
}

template <class T>
void run_gradient(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<TakeAlongAxisGradOp>();
  const TensorView& dy = arguments.inputs[0];
  const TensorView& indices = arguments.inputs[1];
  const TensorView& dx = arguments.outputs[0];
  const Shape& shape = dy.shape();
  const std::int64_t count = shape[op.axis];
  const std::int64_t inner = shape.slice(op.axis + 1, shape.rank()).size();
  GpuStream& stream = stream_of(arguments);
  if (inner == 1) {
    const IndexedRowsShape rows(shape.slice(0, op.axis).size(), count, op.length, 1, count);
    return launch_indexed_rows(stream, "TakeAlongAxisGrad", indices, rows,
                               AddedElements<T>{{dy.as<const T>(), dx.as<T>()}, stream.report()});
  }
  const std::int64_t columns = shape.slice(0, op.axis).size() * inner;
  if (columns == 0) return;
  // Sums of half types are float32, for which there is no room in dx.
  if constexpr (std::is_same_v<T, Computed<T>>) {
    constexpr std::int64_t many_columns = 256;
    if (columns >= many_columns || dx.size() == 0) {
      return launch(stream, "TakeAlongAxisGrad", one_thread_each(columns), &add_columns<T>, dy.as<const T>(),
                    Indices(indices), dx.as<T>(), columns, op.length, count, inner, stream.report());
    }
  }
  if (dx.size() == 0) return;
  launch(stream, "TakeAlongAxisGrad", one_thread_each(dx.size()), &add_along_axis<T>, dy.as<const T>(),
         Indices(indices), dx.as<T>(), dx.size(), op.length, count, inner, stream.report());
}

template <class... T>
void add_gradients(KernelTable& table) {
  (table.add("TakeAlongAxisGrad", dtype_of<T>, {.run = &run_gradient<T>}), ...);
}

}  // namespace

void register_take_along_axis_kernels(KernelTable& table) {
  for (const DType dtype : all_dtypes) {
    table.add("TakeAlongAxis", dtype, {.run = &run_take});
  }
  add_gradients<float, double, Half, BFloat16>(table);
}

}  // namespace rhyton::gpu
