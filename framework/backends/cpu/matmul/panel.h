#pragma once

#include <algorithm>
#include <cstring>

#include <rhyton/framework/backends/cpu/matmul/register_tile.h>
#include <rhyton/framework/backends/cpu/primitives/transpose.h>

namespace rhyton::cpu {

/// Copies the matrix whose element (row, column) is from[row * row_stride + column * column_stride] into one strip of a
/// panel: rows of `width` elements, those beyond `columns` zero.
template <class T>
void fill_panel(T* to, std::int64_t width, const T* from, std::int64_t rows, std::int64_t columns,
                std::int64_t row_stride, std::int64_t column_stride) {
  if (column_stride == 1) {
    for (std::int64_t row = 0; row < rows; ++row) {
      T* line = to + row * width;
      std::memcpy(line, from + row * row_stride, static_cast<std::size_t>(columns) * sizeof(T));
      std::fill(line + columns, line + width, T());
    }
    return;
  }
  if (row_stride == 1) {
    transpose_matrix<T>(from, column_stride, columns, rows, to, width);
  } else {
    for (std::int64_t column = 0; column < columns; ++column) {
      const T* source = from + column * column_stride;
      for (std::int64_t row = 0; row < rows; ++row) to[row * width + column] = source[row * row_stride];
    }
  }
  if (columns == width) return;
  for (std::int64_t row = 0; row < rows; ++row) std::fill(to + row * width + columns, to + (row + 1) * width, T());
}

/// Whether a strip of a matrix with so many columns is copied for the tiles of so many rows, though it could be used in
/// place: the rows of a long one are so far apart that those of a strip evict each other from the first-level cache.
template <class T>
constexpr bool is_worth_a_copy(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t fewest_bytes = 1024;
  constexpr std::int64_t fewest_tiles = 4;
  return columns * static_cast<std::int64_t>(sizeof(T)) >= fewest_bytes && rows >= fewest_tiles * max_rows(max_vectors);
}

/// Pointer to one strip of a panel, for tiles.
template <class T>
struct PanelStrip {
  const T* data = nullptr;
  std::int64_t stride = 0;
};

}  // namespace rhyton::cpu
