#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/cpu/matmul/product.h>

namespace rhyton::cpu {

/// A strip of the panel of this depth stays in the L2 cache for all rows.
inline constexpr std::int64_t max_depth = 1024;

/// The bytes of `Product::workspace` for a product whose `a` is not transposed.
template <class T>
std::size_t row_product_workspace(std::int64_t columns, std::int64_t depth, bool transpose_b) {
  if (fits_in_place<T>(columns, transpose_b)) return 0;
  WorkspaceCutter cutter(nullptr);
  cutter.take<T>(std::min(depth, max_depth) * widest_strip<T>(columns));
  return cutter.used();
}

/// Computes a product whose `a` is not transposed.
template <class T>
void multiply_rows(const Product<T>& product) {
  T* const buffer = static_cast<T*>(product.workspace);
  const Strips<T> strips(product.columns);
  const std::int64_t begin = product.strip_share.begin(strips.count);
  const std::int64_t end = product.strip_share.end(strips.count);
  const bool is_copied = product.packed == nullptr &&
                         !reads_in_place<T>(product.rows, product.columns, product.transpose_a, product.transpose_b);
  const int maximum = is_copied ? 1 : strips_together(product.rows);
  strips.for_each_group(begin, end, maximum, [&](std::int64_t column, int columns, int vectors, int together) {
    const std::int64_t width = static_cast<std::int64_t>(vectors) * vector_length<T>;
    const std::int64_t panel_distance = product.packed != nullptr ? product.depth * width : width;
    std::int64_t first = 0;
    do {
      const std::int64_t last = std::min(product.depth, first + max_depth);
      const PanelStrip<T> strip = strip_of(product, first, last - first, column, columns, vectors, buffer);
      RowTile<T> tile;
      tile.depth = last - first;
      tile.panel = strip.data;
      tile.panel_stride = strip.stride;
      tile.result = chunk_result(product, first, last, column, columns);
      for_each_tile(product.rows, max_rows(vectors), [&](std::int64_t first_row, int rows) {
        std::array<const T*, max_tile_rows> from;
        std::array<T*, max_tile_rows> to;
        for (int row = 0; row < rows; ++row) {
          from[static_cast<std::size_t>(row)] = product.a + (first_row + row) * product.depth + first;
          to[static_cast<std::size_t>(row)] = product.c + (first_row + row) * product.columns + column;
        }
        run_strips<T>(tile, together, panel_distance, rows, vectors, from.data(), to.data());
      });
      first = last;
    } while (first < product.depth);
  });
}

}  // namespace rhyton::cpu
