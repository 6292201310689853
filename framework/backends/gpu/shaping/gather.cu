#include <rhyton/framework/ops/gather.h>

#include <algorithm>
#include <cstring>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/primitives/indices.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/shaping/gather.h>

namespace rhyton::gpu {
namespace {

template <class Index>
struct GatherShape {
  /// The number of words of one sub-tensor, and of indices.
  Divisor<Index> inner;
  Divisor<Index> count;
  std::int64_t limit;
};

/// Zeros are written for an index that is out of range.
template <class Word, class Index>
__global__ void gather(const Word* x, Indices indices, Word* y, std::int64_t size, GatherShape<Index> shape,
                       Report* report) {
  for_each_index(size, [&](std::int64_t i) {
    const Index row = shape.inner.quotient(static_cast<Index>(i));
    const Index column = static_cast<Index>(i) - row * shape.inner.value();
    const Index outer = shape.count.quotient(row);
    const Index number = row - outer * shape.count.value();
    const std::int64_t index = indices[number];
    if (index >= 0 && index < shape.limit) {
      y[i] = x[(outer * shape.limit + index) * shape.inner.value() + column];
      return;
    }
    y[i] = Word();
    if (outer == 0 && column == 0) note(report, Finding::index_out_of_range, index, shape.limit, number);
  });
}

void run_gather(const KernelArguments& arguments) {
  const int axis = arguments.attributes<GatherOp>().axis;
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  const std::size_t element_bytes = size_of(y.spec.dtype);
  const std::int64_t inner = x.shape().slice(axis + 1, x.shape().rank()).size();
  const std::size_t word_bytes =
      widest_word({address_of(x.data), address_of(y.data), static_cast<std::uint64_t>(inner) * element_bytes});
  const auto size = static_cast<std::int64_t>(y.spec.bytes() / word_bytes);
  const Indices indices(arguments.inputs[1]);
  GpuStream& stream = stream_of(arguments);
  with_word(word_bytes, [&](auto word) {
    using Word = decltype(word);
    with_index_type(size, [&](auto index) {
      using Index = decltype(index);
      const GatherShape<Index> shape = {
          Divisor<Index>(inner * static_cast<std::int64_t>(element_bytes) / static_cast<std::int64_t>(word_bytes)),
          Divisor<Index>(arguments.inputs[1].size()), x.shape()[axis]};
      launch(stream, "GatherV2", one_thread_each(size), &gather<Word, Index>, x.as<const Word>(), indices, y.as<Word>(),
             size, shape, stream.report());
    });
  });
}

template <class Word, class Index>
__global__ void one_hot(Indices indices, Word* y, std::int64_t size, Divisor<Index> depth, Word one) {
  for_each_index(size, [&](std::int64_t i) {
    const Index row = depth.quotient(static_cast<Index>(i));
    const Index column = static_cast<Index>(i) - row * depth.value();
    y[i] = indices[row] == column ? one : Word();
  });
}

template <class T>
void run_one_hot(const KernelArguments& arguments) {
  const TensorView& y = arguments.outputs[0];
  const std::int64_t size = y.size();
  if (size == 0) return;
  const T one = element<T>(Computed<T>(1));
  const Indices indices(arguments.inputs[0]);
  with_word(sizeof(T), [&](auto word) {
    using Word = decltype(word);
    if constexpr (sizeof(Word) == sizeof(T)) {
      Word bits;
      std::memcpy(&bits, &one, sizeof(T));
      with_index_type(size, [&](auto index) {
        using Index = decltype(index);
        launch(stream_of(arguments), "OneHot", one_thread_each(size), &one_hot<Word, Index>, indices, y.as<Word>(),
               size, Divisor<Index>(y.shape()[y.shape().rank() - 1]), bits);
      });
    }
  });
}

template <class... T>
void add_one_hot(KernelTable& table) {
  (table.add("OneHot", dtype_of<T>, {.run = &run_one_hot<T>}), ...);
}

}  // namespace

void register_gather_kernels(KernelTable& table) {
  for (const DType dtype : all_dtypes) {
    table.add("GatherV2", dtype, {.run = &run_gather});
  }
  add_one_hot<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t, bool>(table);
  register_gather_gradient_kernels(table);
}

}  // namespace rhyton::gpu
