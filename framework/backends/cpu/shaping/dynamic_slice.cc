#include <rhyton/framework/ops/dynamic_slice.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <rhyton/framework/backends/cpu/primitives/dtypes_of_size.h>
#include <rhyton/framework/backends/cpu/primitives/index_types.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

using Positions = std::array<std::int64_t, Shape::max_rank>;

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// The beginning of a block in a tensor of shape `whole`.
Positions starts_of(const TensorView& starts, const Shape& whole, const Shape& block, bool is_moved) {
  Positions positions{};
  with_indices(starts, [&](const auto* given) {
    for (int axis = 0; axis < whole.rank(); ++axis) {
      const auto start = static_cast<std::int64_t>(given[axis]);
      const std::int64_t last = whole[axis] - block[axis];
      positions[at(axis)] = std::clamp<std::int64_t>(start, 0, last);
      if (is_moved || positions[at(axis)] == start) continue;
      const bool begins_outside = start < 0 || start > whole[axis];
      throw InvalidArgumentError(
          begins_outside ? "Expected begin[" + std::to_string(axis) + "] in [0, " + std::to_string(whole[axis]) +
                               "], but got " + std::to_string(start)
                         : "Expected size[" + std::to_string(axis) + "] in [0, " + std::to_string(whole[axis] - start) +
                               "], but got " + std::to_string(block[axis]));
    }
  });
  return positions;
}

/// Calls `row(in_whole, in_block, length)` for the rows along the last axis of a block, with the places of their first
/// elements.
template <class Row>
void for_each_row(const Shape& whole, const Shape& block, const Positions& starts, const Row& row) {
  if (block.size() == 0) return;
  if (block.rank() == 0) return row(0, 0, 1);
  const int last = block.rank() - 1;
  Positions position{};
  for (std::int64_t in_block = 0; in_block < block.size(); in_block += block[last]) {
    std::int64_t in_whole = 0;
    for (int axis = 0; axis <= last; ++axis) in_whole = in_whole * whole[axis] + starts[at(axis)] + position[at(axis)];
    row(in_whole, in_block, block[last]);
    for (int axis = last - 1; axis >= 0; --axis) {
      if (++position[at(axis)] < block[axis]) break;
      position[at(axis)] = 0;
    }
  }
}

template <class T>
void run_slice(const KernelArguments& arguments) {
  const Shape& whole = arguments.inputs[0].shape();
  const Shape& block = arguments.outputs[0].shape();
  const T* x = arguments.inputs[0].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  const Positions starts =
      starts_of(arguments.inputs[1], whole, block, arguments.attributes<DynamicSliceOp>().is_moved);
  for_each_row(whole, block, starts, [&](std::int64_t in_whole, std::int64_t in_block, std::int64_t length) {
    std::copy_n(x + in_whole, length, y + in_block);
  });
}

template <class T>
void run_update(const KernelArguments& arguments) {
  const Shape& whole = arguments.inputs[0].shape();
  const Shape& block = arguments.inputs[2].shape();
  const T* x = arguments.inputs[0].as<const T>();
  const T* updates = arguments.inputs[2].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  if (x != y) std::copy_n(x, arguments.outputs[0].size(), y);
  const Positions starts = starts_of(arguments.inputs[1], whole, block, true);
  for_each_row(whole, block, starts, [&](std::int64_t in_whole, std::int64_t in_block, std::int64_t length) {
    std::copy_n(updates + in_block, length, y + in_whole);
  });
}

/// Elements are only copied, so that dtypes of one size share a kernel.
template <class T>
void add(KernelTable& table) {
  for (const DType dtype : dtypes_of_size<sizeof(T)>) {
    table.add("DynamicSlice", dtype, {.run = &run_slice<T>});
    table.add("DynamicUpdateSlice", dtype, {.run = &run_update<T>});
  }
}

}  // namespace

void register_dynamic_slice_kernels(KernelTable& table) {
  add<std::uint8_t>(table);
  add<std::uint16_t>(table);
  add<std::uint32_t>(table);
  add<std::uint64_t>(table);
}

}  // namespace rhyton::cpu
