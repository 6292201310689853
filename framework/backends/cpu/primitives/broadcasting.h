#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <rhyton/framework/tensor/shape.h>

namespace rhyton::cpu {

/// How operands are indexed so that they broadcast to one output: the output's axes, without those of length 1 and with
/// those merged that all operands index alike, with each operand's stride on them (0 where it is repeated).
template <std::size_t operands>
struct BroadcastWalk {
  int rank = 0;
  std::array<std::int64_t, Shape::max_rank> lengths{};
  std::array<std::array<std::int64_t, Shape::max_rank>, operands> strides{};

  BroadcastWalk(const Shape& output, const std::array<const Shape*, operands>& shapes) {
    std::array<std::int64_t, operands> step;
    step.fill(1);
    // From the last axis to the first; reversed at the end.
    for (int axis = output.rank() - 1; axis >= 0; --axis) {
      std::array<std::int64_t, operands> stride{};
      for (std::size_t k = 0; k < operands; ++k) {
        const int own = axis - (output.rank() - shapes[k]->rank());
        const std::int64_t length = own < 0 ? 1 : (*shapes[k])[own];
        stride[k] = length == 1 ? 0 : step[k];
        step[k] *= length;
      }
      if (output[axis] != 1) append(output[axis], stride);
    }
    if (rank == 0) append(1, {});
    for (int i = 0, j = rank - 1; i < j; ++i, --j) {
      std::swap(lengths[at(i)], lengths[at(j)]);
      for (auto& stride : strides) std::swap(stride[at(i)], stride[at(j)]);
    }
  }

  /// The number of elements of a run along the last axis.
  std::int64_t run_length() const { return lengths[at(rank - 1)]; }
  /// Operand k's step within a run: 1, or 0 where one element is repeated.
  std::int64_t run_stride(std::size_t k) const { return strides[k][at(rank - 1)]; }

  /// Calls `run(output_offset, offsets)` for each run along the last axis.
  template <class Run>
  void for_each_run(const Run& run) const {
    for_each_part(1, run);
  }

  /// The same for each part of the output that consists of its last `axes` axes.
  template <class Part>
  void for_each_part(int axes, const Part& part) const {
    std::int64_t parts = 1;
    std::int64_t part_size = 1;
    for (int axis = 0; axis < rank; ++axis) (axis < rank - axes ? parts : part_size) *= lengths[at(axis)];
    if (part_size == 0) return;
    std::array<std::int64_t, Shape::max_rank> position{};
    std::array<std::int64_t, operands> offsets{};
    for (std::int64_t i = 0; i < parts; ++i) {
      part(i * part_size, offsets);
      for (int axis = rank - axes - 1; axis >= 0; --axis) {
        for (std::size_t k = 0; k < operands; ++k) offsets[k] += strides[k][at(axis)];
        if (++position[at(axis)] < lengths[at(axis)]) break;
        for (std::size_t k = 0; k < operands; ++k) offsets[k] -= strides[k][at(axis)] * lengths[at(axis)];
        position[at(axis)] = 0;
      }
    }
  }

 private:
  static std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

  void append(std::int64_t length, const std::array<std::int64_t, operands>& stride) {
    bool joins = rank > 0;
    for (std::size_t k = 0; k < operands && joins; ++k) {
      joins = stride[k] == strides[k][at(rank - 1)] * lengths[at(rank - 1)];
    }
    if (joins) {
      lengths[at(rank - 1)] *= length;
      return;
    }
    lengths[at(rank)] = length;
    for (std::size_t k = 0; k < operands; ++k) strides[k][at(rank)] = stride[k];
    ++rank;
  }
};

}  // namespace rhyton::cpu
