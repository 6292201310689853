#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <rhyton/framework/backends/cpu/matmul/panel.h>
#include <rhyton/framework/backends/cpu/matmul/register_tile.h>
#include <rhyton/framework/tensor/shape.h>

namespace rhyton::cpu {

/// The maximum number of samples that go through the steps together.
inline constexpr int max_recurrent_rows = 16 * max_rows(max_vectors);

/// The number of samples that go through the steps together: their rows stay in the caches while a strip of the weights
/// does. Large weights come from memory for each step, so that more samples have to share them.
template <class T>
int recurrent_rows(const Shape& kernel) {
  constexpr std::int64_t large = std::int64_t{4} << 20;
  const bool is_large = kernel.size() * static_cast<std::int64_t>(sizeof(T)) > large;
  return is_large ? max_recurrent_rows : max_recurrent_rows / 4;
}

/// Pointers to one row of each of these samples.
template <class T>
using RowPointers = std::array<T*, max_recurrent_rows>;

/// Weights [depth, columns] as a panel, strip by strip.
template <class T>
struct PackedMatrix {
  const T* data = nullptr;
  std::int64_t depth = 0;
  std::int64_t columns = 0;

  static std::int64_t size(std::int64_t depth, std::int64_t columns) { return depth * Strips<T>(columns).padded(); }
};

/// Packs the matrix whose element (row, column) is from[row * row_stride + column * column_stride].
template <class T>
void pack_matrix(T* to, const T* from, std::int64_t depth, std::int64_t columns, std::int64_t row_stride,
                 std::int64_t column_stride) {
  Strips<T>(columns).for_each([&](std::int64_t column, int count, int vectors) {
    fill_panel<T>(to + depth * column, static_cast<std::int64_t>(vectors) * vector_length<T>,
                  from + column * column_stride, depth, count, row_stride, column_stride);
  });
}

/// Rows of a strip that stay in the first-level cache for all tiles.
template <class T>
inline constexpr std::int64_t recurrent_depth = 32 * 1024 / (max_vectors * vector_bytes);

/// outputs[r] = rows[r] · the rows [first, first + depth) of the matrix + bias, or added to what is there.
template <class T>
void multiply_step(const PackedMatrix<T>& matrix, std::int64_t first, std::int64_t depth, int count,
                   const RowPointers<const T>& rows, const RowPointers<T>& outputs, bool accumulate,
                   const T* bias = nullptr) {
  const Strips<T> strips(matrix.columns);
  strips.for_each_group(
      0, strips.count, strips_together(count), [&](std::int64_t column, int columns, int vectors, int together) {
        RowTile<T> tile;
        tile.panel_stride = static_cast<std::int64_t>(vectors) * vector_length<T>;
        tile.result.columns = columns;
        for (std::int64_t done = 0; done < depth; done += tile.depth) {
          tile.depth = std::min(recurrent_depth<T>, depth - done);
          tile.panel = matrix.data + matrix.depth * column + (first + done) * tile.panel_stride;
          tile.result.accumulate = accumulate || done > 0;
          tile.result.bias = bias == nullptr || done > 0 ? nullptr : bias + column;
          for_each_tile(count, max_rows(vectors), [&](std::int64_t first_row, int height) {
            std::array<const T*, max_tile_rows> from;
            std::array<T*, max_tile_rows> to;
            for (int row = 0; row < height; ++row) {
              const auto i = static_cast<std::size_t>(row);
              from[i] = rows[static_cast<std::size_t>(first_row) + i] + done;
              to[i] = outputs[static_cast<std::size_t>(first_row) + i] + column;
            }
            run_strips<T>(tile, together, matrix.depth * tile.panel_stride, height, vectors, from.data(), to.data());
          });
        }
      });
}

}  // namespace rhyton::cpu
