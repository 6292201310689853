#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>
#include <rhyton/framework/backends/gpu/shaping/shaping.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton::gpu {
namespace {

/// An axis of y: the elements of x are in it from `before` on, `step` apart.
struct PaddedAxis {
  std::int64_t length;
  std::int64_t before;
  std::int64_t step;
  std::int64_t input;

  bool is_whole() const { return length == input; }
};

template <class Index>
struct PaddedAxes {
  int rank = 0;
  Divisor<Index> lengths[Shape::max_rank];
  Index before[Shape::max_rank] = {};
  Divisor<Index> steps[Shape::max_rank];
  Index inputs[Shape::max_rank] = {};
};

template <class Word, class Index>
__global__ void pad(const Word* x, Word* y, std::int64_t size, Word value, PaddedAxes<Index> axes) {
  for_each_index(size, [&](std::int64_t i) {
    Index rest = static_cast<Index>(i);
    Index offset = 0;
    Index stride = 1;
    bool is_inside = true;
    for (int axis = axes.rank - 1; axis >= 0; --axis) {
      const Index next = axes.lengths[axis].quotient(rest);
      const Index position = rest - next * axes.lengths[axis].value() - axes.before[axis];
      rest = next;
      const Index number = axes.steps[axis].quotient(position < 0 ? 0 : position);
      is_inside = is_inside && number * axes.steps[axis].value() == position && number < axes.inputs[axis];
      offset += number * stride;
      stride *= axes.inputs[axis];
    }
    y[i] = is_inside ? x[offset] : value;
  });
}

/// 16 bytes of elements of that value.
std::array<std::byte, sizeof(Word16)> repeated(double value, DType dtype) {
  std::array<std::byte, sizeof(Word16)> bytes;
  visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    // A number is converted to a half type through float.
    using Given = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, double>;
    T element;
    if constexpr (std::is_same_v<T, bool>) {
      element = value != 0.0;
    } else {
      element = static_cast<T>(static_cast<Given>(value));
    }
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(element)) std::memcpy(&bytes[i], &element, sizeof(element));
  });
  return bytes;
}

/// The axes of y, where whole axes have been merged with the axis before them.
std::vector<PaddedAxis> joined_axes(const PadOp& op, const Shape& x, const Shape& y) {
  std::vector<PaddedAxis> axes;
  for (int i = 0; i < y.rank(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const PaddedAxis axis = {y[i], op.before[at], op.steps[at], x[i]};
    if (axis.is_whole() && !axes.empty() && axes.back().step == 1) {
      PaddedAxis& joined = axes.back();
      joined = {joined.length * axis.length, joined.before * axis.length, 1, joined.input * axis.length};
    } else {
      axes.push_back(axis);
    }
    if (axes.back().is_whole()) axes.back().step = 1;
  }
  if (axes.empty()) axes.push_back({1, 0, 1, 1});
  return axes;
}

}  // namespace

void run_pad(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<PadOp>();
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  std::vector<PaddedAxis> axes = joined_axes(op, x.shape(), y.shape());
  const std::size_t element_bytes = size_of(y.spec.dtype);
  std::size_t word_bytes = element_bytes;
  PaddedAxis& last = axes.back();
  if (last.step == 1) {
    const auto bytes = [&](std::int64_t elements) { return static_cast<std::uint64_t>(elements) * element_bytes; };
    word_bytes = widest_word(
        {address_of(x.data), address_of(y.data), bytes(last.length), bytes(last.before), bytes(last.input)});
    const auto elements = static_cast<std::int64_t>(word_bytes / element_bytes);
    last = {last.length / elements, last.before / elements, 1, last.input / elements};
  }
  const std::array<std::byte, sizeof(Word16)> value = repeated(op.value, y.spec.dtype);
  const auto size = static_cast<std::int64_t>(y.spec.bytes() / word_bytes);

  with_word(word_bytes, [&](auto word) {
    using Word = decltype(word);
    with_index_type(size, [&](auto index) {
      using Index = decltype(index);
      PaddedAxes<Index> given;
      for (const PaddedAxis& axis : axes) {
        given.lengths[given.rank] = Divisor<Index>(axis.length);
        given.before[given.rank] = static_cast<Index>(axis.before);
        given.steps[given.rank] = Divisor<Index>(axis.step);
        given.inputs[given.rank] = static_cast<Index>(axis.input);
        ++given.rank;
      }
      Word value_word;
      std::memcpy(&value_word, value.data(), sizeof(Word));
      launch(stream_of(arguments), "PadV2", one_thread_each(size), &pad<Word, Index>, x.as<const Word>(), y.as<Word>(),
             size, value_word, given);
    });
  });
}

}  // namespace rhyton::gpu
