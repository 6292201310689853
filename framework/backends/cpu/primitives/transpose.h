#pragma once

#include <rhyton/framework/backends/cpu/primitives/vector.h>

namespace rhyton::cpu {

/// Element `lane` of row i after rows i and i + distance have exchanged those halves of their blocks that are on the
/// wrong side of the diagonal.
template <class T, int distance, bool is_upper, int... lane>
__attribute__((always_inline)) inline void exchange(Vector<T>& result, const Vector<T>& a, const Vector<T>& b,
                                                    std::integer_sequence<int, lane...>) {
  constexpr int length = vector_length<T>;
  if constexpr (is_upper) {
    result = __builtin_shufflevector(a, b, ((lane & distance) == 0 ? lane : length + lane - distance)...);
  } else {
    result = __builtin_shufflevector(a, b, ((lane & distance) == 0 ? lane + distance : length + lane)...);
  }
}

template <class T, int distance>
__attribute__((always_inline)) inline void exchange_blocks(Vector<T> (&rows)[vector_length<T>]) {
  constexpr auto lanes = std::make_integer_sequence<int, vector_length<T>>();
  repeat<vector_length<T>>([&](auto i) __attribute__((always_inline)) {
    if constexpr ((i & distance) == 0) {
      const Vector<T> a = rows[i];
      const Vector<T> b = rows[i + distance];
      exchange<T, distance, true>(rows[i], a, b, lanes);
      exchange<T, distance, false>(rows[i + distance], a, b, lanes);
    }
  });
  if constexpr (distance > 1) exchange_blocks<T, distance / 2>(rows);
}

/// Transposes a square of registers: exchanges lane j of row i and lane i of row j.
template <class T>
__attribute__((always_inline)) inline void transpose(Vector<T> (&rows)[vector_length<T>]) {
  exchange_blocks<T, vector_length<T> / 2>(rows);
}

/// to[j * to_stride + i] = from[i * from_stride + j] for a square of one register's length; with `is_added`, +=.
template <class T, bool is_added = false>
inline void transpose_square(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
  Vector<T> rows[vector_length<T>];
  repeat<vector_length<T>>([&](auto i) __attribute__((always_inline)) { load<T>(rows[i], from + i * from_stride); });
  transpose<T>(rows);
  repeat<vector_length<T>>([&](auto i) __attribute__((always_inline)) {
    if constexpr (is_added) {
      Vector<T> before;
      load<T>(before, to + i * to_stride);
      rows[i] += before;
    }
    store<T>(to + i * to_stride, rows[i]);
  });
}

/// The same for any number of rows and columns of `from`.
template <class T, bool is_added = false>
void transpose_matrix(const T* from, std::int64_t from_stride, std::int64_t rows, std::int64_t columns, T* to,
                      std::int64_t to_stride) {
  constexpr std::int64_t length = vector_length<T>;
  const auto transpose_one = [&](std::int64_t row, std::int64_t column) {
    T& target = to[column * to_stride + row];
    target = (is_added ? target : T()) + from[row * from_stride + column];
  };
  std::int64_t row = 0;
  for (; row + length <= rows; row += length) {
    std::int64_t column = 0;
    for (; column + length <= columns; column += length) {
      transpose_square<T, is_added>(from + row * from_stride + column, from_stride, to + column * to_stride + row,
                                    to_stride);
    }
    for (; column < columns; ++column) {
      for (std::int64_t i = row; i < row + length; ++i) transpose_one(i, column);
    }
  }
  for (; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) transpose_one(row, column);
  }
}

}  // namespace rhyton::cpu
