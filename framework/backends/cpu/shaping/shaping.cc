#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#include <rhyton/framework/backends/cpu/primitives/broadcasting.h>
#include <rhyton/framework/backends/cpu/primitives/dtypes_of_size.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton::cpu {
namespace {

// Elements are only moved, so that a kernel depends on their size and not on their dtype: T is an unsigned integer of
// that size.

using Strides = std::array<std::int64_t, Shape::max_rank>;

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// The distance between neighbours on each axis of a contiguous tensor.
Strides contiguous_strides(const Shape& shape) {
  Strides strides{};
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[at(axis)] = step;
    step *= shape[axis];
  }
  return strides;
}

/// Calls `row(i, offset)` for the rows along the last axis of a tensor of that shape, where `offset` follows `strides`
/// over the other axes.
template <class Row>
void for_each_row(const Shape& shape, const Strides& strides, const Row& row) {
  const int outer = shape.rank() - 1;
  const std::int64_t rows = shape.slice(0, outer).size();
  std::array<std::int64_t, Shape::max_rank> position{};
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    row(i, offset);
    for (int axis = outer - 1; axis >= 0; --axis) {
      offset += strides[at(axis)];
      if (++position[at(axis)] < shape[axis]) break;
      offset -= strides[at(axis)] * shape[axis];
      position[at(axis)] = 0;
    }
  }
}

template <class T>
void copy_strided(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t size) {
  if (from_step == 1 && to_step == 1) {
    std::copy_n(from, size, to);
  } else {
    for (std::int64_t i = 0; i < size; ++i) to[i * to_step] = from[i * from_step];
  }
}

template <std::int64_t size, class T>
void copy_pieces_of(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, size * sizeof(T));
}

/// Copies `count` pieces of `size` elements. For pieces of a few elements, a call of memcpy takes longer than the copy.
template <class T>
void copy_pieces(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t size,
                 std::int64_t count) {
  switch (size) {
    case 1:
      return copy_pieces_of<1>(from, from_step, to, to_step, count);
    case 2:
      return copy_pieces_of<2>(from, from_step, to, to_step, count);
    case 3:
      return copy_pieces_of<3>(from, from_step, to, to_step, count);
    case 4:
      return copy_pieces_of<4>(from, from_step, to, to_step, count);
    default:
      for (std::int64_t i = 0; i < count; ++i) std::copy_n(from + i * from_step, size, to + i * to_step);
  }
}

/// Merges axes of a part of a tensor, from the last one: an axis that the part has whole with the axis before it, where
/// both have steps of 1.
void merge_whole_axes(Shape& part, const Shape& whole, const std::vector<std::int64_t>& steps, Strides& strides) {
  const Shape taken = part;
  for (int last = part.rank() - 1; last > 0 && taken[last] == whole[last]; --last) {
    if (steps[at(last)] != 1 || steps[at(last - 1)] != 1) break;
    part = part.slice(0, last).with(last - 1, part[last - 1] * part[last]);
    strides[at(last - 1)] = 1;
  }
}

void run_reshape(const KernelArguments& arguments) {
  const TensorView& from = arguments.inputs[0];
  const TensorView& to = arguments.outputs[0];
  if (to.data != from.data && to.size() > 0) std::memcpy(to.data, from.data, to.spec.bytes());
}

template <class T>
void run_broadcast(const KernelArguments& arguments) {
  const T* x = arguments.inputs[0].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  const BroadcastWalk<1> walk(arguments.outputs[0].shape(), {&arguments.inputs[0].shape()});
  walk.for_each_run([&](std::int64_t offset, const std::array<std::int64_t, 1>& offsets) {
    if (walk.run_stride(0) == 0) {
      std::fill_n(y + offset, walk.run_length(), x[offsets[0]]);
    } else {
      std::copy_n(x + offsets[0], walk.run_length(), y + offset);
    }
  });
}

/// y[j, i] = x[i, j] in square tiles, so that reads and writes both stay within a few cache lines.
template <class T>
void transpose_matrix(const T* x, std::int64_t x_step, T* y, std::int64_t y_step, std::int64_t rows,
                      std::int64_t columns) {
  constexpr std::int64_t tile = 16;
  for (std::int64_t top = 0; top < rows; top += tile) {
    const std::int64_t bottom = std::min(rows, top + tile);
    for (std::int64_t left = 0; left < columns; left += tile) {
      const std::int64_t right = std::min(columns, left + tile);
      for (std::int64_t j = left; j < right; ++j) {
        for (std::int64_t i = top; i < bottom; ++i) y[j * y_step + i] = x[i * x_step + j];
      }
    }
  }
}

template <class T>
void run_transpose(const KernelArguments& arguments) {
  const std::vector<int>& order = arguments.attributes<TransposeOp>().axes;
  const T* x = arguments.inputs[0].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  const Strides input_strides = contiguous_strides(arguments.inputs[0].shape());
  if (arguments.outputs[0].size() == 0) return;

  // The output's axes with their strides in x; those that are contiguous in x are merged.
  Shape shape;
  Strides strides{};
  for (int axis = 0; axis < arguments.outputs[0].shape().rank(); ++axis) {
    const std::int64_t length = arguments.outputs[0].shape()[axis];
    const std::int64_t stride = input_strides[at(order[at(axis)])];
    if (length == 1) continue;
    const int last = shape.rank() - 1;
    if (last >= 0 && strides[at(last)] == stride * length) {
      shape[last] *= length;
      strides[at(last)] = stride;
    } else {
      strides[at(shape.rank())] = stride;
      shape.push_back(length);
    }
  }
  if (shape.rank() == 0) shape.push_back(1);
  const int last = shape.rank() - 1;
  const std::int64_t size = shape[last];
  if (strides[at(last)] <= 1) {
    for_each_row(shape, strides,
                 [&](std::int64_t row, std::int64_t offset) { std::copy_n(x + offset, size, y + row * size); });
    return;
  }
  // x is contiguous along another axis: matrices over that axis and the last one are transposed.
  const int inner = static_cast<int>(std::find(strides.begin(), strides.begin() + last, 1) - strides.begin());
  const std::int64_t y_step = contiguous_strides(shape)[at(inner)];
  const Strides y_strides = contiguous_strides(shape);
  Shape others = shape.with(inner, 1);
  std::int64_t y_offset = 0;
  Strides position{};
  for_each_row(others, strides, [&](std::int64_t, std::int64_t offset) {
    transpose_matrix(x + offset, strides[at(last)], y + y_offset, y_step, size, shape[inner]);
    for (int axis = last - 1; axis >= 0; --axis) {
      y_offset += y_strides[at(axis)];
      if (++position[at(axis)] < others[axis]) break;
      y_offset -= y_strides[at(axis)] * others[axis];
      position[at(axis)] = 0;
    }
  });
}

template <class T>
void run_concatenate(const KernelArguments& arguments) {
  const int axis = arguments.attributes<ConcatenateOp>().axis;
  const Shape& shape = arguments.outputs[0].shape();
  const std::int64_t outer = shape.slice(0, axis).size();
  const std::int64_t inner = shape.slice(axis + 1, shape.rank()).size();
  T* y = arguments.outputs[0].as<T>();
  for (const TensorView& input : arguments.inputs) {
    const std::int64_t size = input.shape()[axis] * inner;
    const T* x = input.as<const T>();
    copy_pieces(x, size, y, shape[axis] * inner, size, outer);
    y += size;
  }
}

template <class T>
void run_split(const KernelArguments& arguments) {
  const int axis = arguments.attributes<SplitOp>().axis;
  const Shape& shape = arguments.inputs[0].shape();
  const std::int64_t outer = shape.slice(0, axis).size();
  const std::int64_t inner = shape.slice(axis + 1, shape.rank()).size();
  const T* x = arguments.inputs[0].as<const T>();
  for (const TensorView& output : arguments.outputs) {
    const std::int64_t size = output.shape()[axis] * inner;
    T* y = output.as<T>();
    copy_pieces(x, shape[axis] * inner, y, size, size, outer);
    x += size;
  }
}

template <class T>
void run_slice(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<SliceOp>();
  const T* x = arguments.inputs[0].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  Shape shape = arguments.outputs[0].shape();
  if (shape.size() == 0) return;
  if (shape.rank() == 0) {
    *y = *x;
    return;
  }
  Strides strides = contiguous_strides(arguments.inputs[0].shape());
  const Shape& whole = arguments.inputs[0].shape();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    x += op.begin[at(axis)] * strides[at(axis)];
    strides[at(axis)] *= op.steps[at(axis)];
  }
  merge_whole_axes(shape, whole, op.steps, strides);
  const std::int64_t size = shape[shape.rank() - 1];
  for_each_row(shape, strides, [&](std::int64_t row, std::int64_t offset) {
    copy_strided(x + offset, strides[at(shape.rank() - 1)], y + row * size, 1, size);
  });
}

/// The number as an element of `dtype`, which has the size of `T`.
template <class T>
T bits_of(double value, DType dtype) {
  T bits{};
  visit_dtype(dtype, [&]<class Element>(std::type_identity<Element>) {
    if constexpr (sizeof(Element) == sizeof(T)) {
      Element element;
      if constexpr (is_half(dtype_of<Element>)) {
        element = Element(static_cast<float>(value));
      } else if constexpr (std::is_same_v<Element, bool>) {
        element = value != 0.0;
      } else {
        element = static_cast<Element>(value);
      }
      std::memcpy(&bits, &element, sizeof(T));
    }
  });
  return bits;
}

template <class T>
void run_pad(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<PadOp>();
  const T* x = arguments.inputs[0].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  Shape shape = arguments.inputs[0].shape();
  std::fill_n(y, arguments.outputs[0].size(), bits_of<T>(op.value, arguments.outputs[0].spec.dtype));
  if (shape.size() == 0) return;
  if (shape.rank() == 0) {
    *y = *x;
    return;
  }
  Strides strides = contiguous_strides(arguments.outputs[0].shape());
  for (int axis = 0; axis < shape.rank(); ++axis) {
    y += op.before[at(axis)] * strides[at(axis)];
    strides[at(axis)] *= op.steps[at(axis)];
  }
  merge_whole_axes(shape, arguments.outputs[0].shape(), op.steps, strides);
  const std::int64_t size = shape[shape.rank() - 1];
  for_each_row(shape, strides, [&](std::int64_t row, std::int64_t offset) {
    copy_strided(x + row * size, 1, y + offset, strides[at(shape.rank() - 1)], size);
  });
}

template <class T>
void run_reverse(const KernelArguments& arguments) {
  const std::vector<int>& axes = arguments.attributes<ReverseOp>().axes;
  const T* x = arguments.inputs[0].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  const Shape& shape = arguments.outputs[0].shape();
  if (shape.size() == 0) return;
  if (shape.rank() == 0) {
    *y = *x;
    return;
  }
  Strides strides = contiguous_strides(shape);
  for (const int axis : axes) {
    x += (shape[axis] - 1) * std::abs(strides[at(axis)]);
    strides[at(axis)] = -std::abs(strides[at(axis)]);
  }
  const std::int64_t size = shape[shape.rank() - 1];
  for_each_row(shape, strides, [&](std::int64_t row, std::int64_t offset) {
    copy_strided(x + offset, strides[at(shape.rank() - 1)], y + row * size, 1, size);
  });
}

template <class T>
void add_all(KernelTable& table) {
  for (const DType dtype : dtypes_of_size<sizeof(T)>) {
    table.add("Reshape", dtype, {.run = &run_reshape});
    table.add("BroadcastTo", dtype, {.run = &run_broadcast<T>});
    table.add("BroadcastLike", dtype, {.run = &run_broadcast<T>});
    table.add("Transpose", dtype, {.run = &run_transpose<T>});
    table.add("ConcatV2", dtype, {.run = &run_concatenate<T>});
    table.add("SplitV", dtype, {.run = &run_split<T>});
    table.add("StridedSlice", dtype, {.run = &run_slice<T>});
    table.add("PadV2", dtype, {.run = &run_pad<T>});
    table.add("ReverseV2", dtype, {.run = &run_reverse<T>});
  }
}

}  // namespace

void register_shaping_kernels(KernelTable& table) {
  add_all<std::uint8_t>(table);
  add_all<std::uint16_t>(table);
  add_all<std::uint32_t>(table);
  add_all<std::uint64_t>(table);
}

}  // namespace rhyton::cpu
