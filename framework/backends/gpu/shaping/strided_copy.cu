#include <rhyton/framework/backends/gpu/shaping/strided_copy.h>

#include <algorithm>
#include <cstdlib>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>
#include <rhyton/framework/backends/gpu/shaping/strided_offsets.h>

namespace rhyton::gpu {
namespace {

template <class Word, class Index>
__global__ void copy_words(const Word* x, Word* y, std::int64_t size, StridedOffsets<Index> offset) {
  for_each_index(size, [&](std::int64_t i) { y[i] = x[offset(static_cast<Index>(i))]; });
}

}  // namespace

std::vector<std::int64_t> contiguous_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(shape.rank()));
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = step;
    step *= shape[axis];
  }
  return strides;
}

StridedAxes joined(const StridedAxes& axes) {
  StridedAxes result;
  for (const StridedAxis& axis : axes) {
    if (axis.length == 1) continue;
    if (!result.empty() && result.back().stride == axis.stride * axis.length) {
      result.back() = {result.back().length * axis.length, axis.stride};
    } else {
      result.push_back(axis);
    }
  }
  if (result.empty()) result.push_back({1, 1});
  return result;
}

void copy_strided(GpuStream& stream, const char* what, const void* x, void* y, std::size_t element_bytes,
                  const StridedAxes& all_axes) {
  StridedAxes axes = joined(all_axes);
  std::int64_t size = 1;
  for (const StridedAxis& axis : axes) size *= axis.length;
  if (size == 0) return;
  StridedAxis& last = axes.back();
  if (axes.size() == 1 && last.stride == 1) {
    return stream.copy(y, x, static_cast<std::size_t>(size) * element_bytes);
  }

  std::size_t word_bytes = element_bytes;
  if (last.stride == 1) {
    word_bytes = widest_word({address_of(x), address_of(y), static_cast<std::uint64_t>(last.length) * element_bytes});
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
      const auto distance = static_cast<std::uint64_t>(std::abs(axes[i].stride));
      word_bytes = widest_word({word_bytes, distance * element_bytes});
    }
    const auto elements = static_cast<std::int64_t>(word_bytes / element_bytes);
    last.length /= elements;
    size /= elements;
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) axes[i].stride /= elements;
  }
  std::int64_t furthest = 0;
  for (const StridedAxis& axis : axes) furthest += (axis.length - 1) * std::abs(axis.stride);

  with_word(word_bytes, [&](auto word) {
    using Word = decltype(word);
    with_index_type(std::max(size, furthest), [&](auto index) {
      using Index = decltype(index);
      launch(stream, what, one_thread_each(size), &copy_words<Word, Index>, static_cast<const Word*>(x),
             static_cast<Word*>(y), size, StridedOffsets<Index>(axes));
    });
  });
}

}  // namespace rhyton::gpu
