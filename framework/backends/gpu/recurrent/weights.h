#pragma once

#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/gpu/elementwise/map.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/recurrent/sequences.h>
#include <rhyton/framework/backends/gpu/recurrent/workspace.h>
#include <rhyton/framework/ops/recurrent.h>

namespace rhyton::gpu {

/// An element in another type.
struct Converted {
  static constexpr const char* name = "Recurrent";
  template <class Number>
  __device__ Number operator()(Number x) const {
    return x;
  }
};

/// The columns of a matrix as two matrices without gaps.
template <class T>
struct SplitColumns {
  const T* from;
  Computed<T>* left;
  Computed<T>* right;
  std::int64_t left_columns;
  std::int64_t right_columns;

  __device__ void operator()(std::int64_t row, std::int64_t column) const {
    const Computed<T> value = number(from[row * (left_columns + right_columns) + column]);
    if (column < left_columns) {
      left[row * left_columns + column] = value;
    } else {
      right[row * right_columns + column - left_columns] = value;
    }
  }
};

template <class T>
struct Transposed {
  const T* from;
  Computed<T>* to;
  std::int64_t rows;
  std::int64_t columns;

  __device__ void operator()(std::int64_t row, std::int64_t column) const {
    to[column * rows + row] = number(from[row * columns + column]);
  }
};

/// The recurrent kernel as the products of the steps read it: in the type in which a kernel computes, since states keep
/// that type from step to step; as two matrices for the gru without `reset_after`, whose candidate has a product of its
/// own; transposed if that is wanted, where it is one matrix.
template <class T>
struct StepWeights {
  using Number = Computed<T>;
  static constexpr bool is_converted = !std::is_same_v<T, Number>;

  std::int64_t units;
  /// Of the product of the states.
  std::int64_t columns;
  bool is_split;
  bool is_transposed;
  Number* copy = nullptr;
  Number* of_candidate = nullptr;

  StepWeights(const RecurrentAttributes& cell, std::int64_t units, bool is_transposed, WorkspaceParts& parts)
      : units(units), is_split(cell.cell == RecurrentCell::gru && !cell.reset_after), is_transposed(is_transposed) {
    columns = units * (recurrent_gates(cell.cell) - (is_split ? 1 : 0));
    if (is_split || is_transposed || is_converted) copy = parts.take<Number>(units * columns);
    if (is_split) of_candidate = parts.take<Number>(units * units);
  }

  /// Fills the copies, and returns the weights of the product of the states.
  const Number* prepare(GpuStream& stream, const T* kernel) const {
    if (is_split) {
      launch_on_rows(stream, "Recurrent", SplitColumns<T>{kernel, copy, of_candidate, columns, units}, units,
                     columns + units);
      return copy;
    }
    if (is_transposed) {
      launch_on_rows(stream, "Recurrent", Transposed<T>{kernel, copy, units, columns}, units, columns);
      return copy;
    }
    if constexpr (is_converted) {
      launch_map(stream, Converted(), units * columns, copy, kernel);
      return copy;
    } else {
      return kernel;
    }
  }
};

/// Copies states in another type; zeros where there are none.
template <class To, class From>
void copy_states(GpuStream& stream, To* to, const From* from, std::int64_t count) {
  if (from == nullptr) {
    stream.fill(to, 0, static_cast<std::size_t>(count) * sizeof(To));
  } else {
    launch_map(stream, Converted(), count, to, from);
  }
}

}  // namespace rhyton::gpu
