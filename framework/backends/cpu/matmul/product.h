#pragma once

#include <algorithm>
#include <cstdint>

#include <rhyton/framework/backends/cpu/matmul/panel.h>
#include <rhyton/framework/backends/cpu/matmul/register_tile.h>
#include <rhyton/framework/backends/cpu/primitives/share.h>

namespace rhyton::cpu {

/// One product of two matrices. `a` is [rows, depth] (transposed: [depth, rows]), `b` [depth, columns] (transposed:
/// [columns, depth]).
template <class T>
struct Product {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
  /// For a transposed `a`: the distance from one of its rows to the next.
  std::int64_t a_stride = 0;
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  bool transpose_a = false;
  bool transpose_b = false;
  /// All strips of `b`, made once, or null.
  const T* packed = nullptr;
  void* workspace = nullptr;
  TileResult<T> result;
  /// The part of the strips of columns that is computed.
  Share strip_share;
};

template <class T>
bool fits_in_place(std::int64_t columns, bool transpose_b) {
  return !transpose_b && columns % vector_length<T> == 0;
}

/// Whether tiles read the strips of an unpacked `b` where they are; else each is copied.
template <class T>
bool reads_in_place(std::int64_t rows, std::int64_t columns, bool transpose_a, bool transpose_b) {
  return fits_in_place<T>(columns, transpose_b) && !(transpose_a && is_worth_a_copy<T>(rows, columns));
}

/// As many columns of a strip as the widest has.
template <class T>
std::int64_t widest_strip(std::int64_t columns) {
  return std::min(Strips<T>(columns).padded(), static_cast<std::int64_t>(max_vectors) * vector_length<T>);
}

/// Rows [first_row, first_row + rows) of the strip of b's columns from `column` on.
template <class T>
PanelStrip<T> strip_of(const Product<T>& product, std::int64_t first_row, std::int64_t rows, std::int64_t column,
                       int columns, int vectors, T* buffer) {
  const std::int64_t width = static_cast<std::int64_t>(vectors) * vector_length<T>;
  if (product.packed != nullptr) return {product.packed + product.depth * column + first_row * width, width};
  if (reads_in_place<T>(product.rows, product.columns, product.transpose_a, product.transpose_b)) {
    return {product.b + first_row * product.columns + column, product.columns};
  }
  if (product.transpose_b) {
    fill_panel<T>(buffer, width, product.b + column * product.depth + first_row, rows, columns, 1, product.depth);
  } else {
    fill_panel<T>(buffer, width, product.b + first_row * product.columns + column, rows, columns, product.columns, 1);
  }
  return {buffer, width};
}

template <class T>
TileResult<T> chunk_result(const Product<T>& product, std::int64_t first, std::int64_t last, std::int64_t column,
                           int columns) {
  TileResult<T> result = product.result;
  result.columns = columns;
  result.accumulate = product.result.accumulate || first > 0;
  const bool is_last = last == product.depth;
  result.bias = is_last && result.bias != nullptr ? result.bias + column : nullptr;
  result.relu = is_last && result.relu;
  return result;
}

}  // namespace rhyton::cpu
