#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <rhyton/framework/backends/cpu/matmul/register_tile.h>
#include <rhyton/framework/backends/cpu/primitives/transpose.h>

namespace rhyton::cpu {

// Products of small matrices that stay in a core's caches. Rows of results and of second factors have whole registers.

/// Keys whose scores are computed together.
inline constexpr std::int64_t key_block = 128;
/// Queries whose scores are computed together, at most.
inline constexpr std::int64_t query_block = 96;

/// `size` rounded up to whole registers.
template <class T>
constexpr std::int64_t whole_registers(std::int64_t size) {
  return (size + vector_length<T> - 1) / vector_length<T> * vector_length<T>;
}

/// The distance of rows of that size: rows at distances of a large power of two would share few lines of a cache.
template <class T>
constexpr std::int64_t row_stride(std::int64_t size) {
  const std::int64_t whole = whole_registers<T>(size);
  return whole * static_cast<std::int64_t>(sizeof(T)) % 512 == 0 ? whole + vector_length<T> : whole;
}

/// The distance of rows of scores.
template <class T>
inline constexpr std::int64_t score_stride = row_stride<T>(key_block);

/// A matrix by rows.
template <class T>
struct RowMatrix {
  T* data = nullptr;
  std::int64_t stride = 0;

  T* row(std::int64_t index) const { return data + index * stride; }
  RowMatrix from_row(std::int64_t index) const { return {row(index), stride}; }
};

/// result[i] = a[i] b, or added to what is there: a [rows, depth], b [depth, columns]; `columns` are whole registers.
template <class T>
void multiply(const RowMatrix<const T>& a, std::int64_t rows, std::int64_t depth, const RowMatrix<const T>& b,
              std::int64_t columns, const RowMatrix<T>& result, bool accumulate) {
  Strips<T>(columns).for_each([&](std::int64_t first, int count, int vectors) {
    RowTile<T> tile;
    tile.depth = depth;
    tile.panel = b.data + first;
    tile.panel_stride = b.stride;
    tile.result = {.columns = count, .accumulate = accumulate};
    for_each_tile(rows, max_rows(vectors), [&](std::int64_t row, int height) {
      std::array<const T*, max_tile_rows> from;
      std::array<T*, max_tile_rows> to;
      for (int i = 0; i < height; ++i) {
        from[static_cast<std::size_t>(i)] = a.row(row + i);
        to[static_cast<std::size_t>(i)] = result.row(row + i) + first;
      }
      row_tile_function<T>(height, vectors)(tile, from.data(), to.data());
    });
  });
}

/// Offsets of rows of scores, for sums over queries.
template <class T>
class ScoreOffsets {
 public:
  ScoreOffsets() {
    for (std::size_t i = 0; i < offsets_.size(); ++i) offsets_[i] = static_cast<std::int64_t>(i) * score_stride<T>;
  }
  const std::int64_t* data() const { return offsets_.data(); }

 private:
  std::array<std::int64_t, query_block> offsets_;
};

/// result[k] += the sum over i of scores[i][k] b[i]: scores [depth, rows], b [depth, columns].
template <class T>
void add_transposed_product(const T* scores, const ScoreOffsets<T>& offsets, std::int64_t depth, std::int64_t rows,
                            const RowMatrix<const T>& b, std::int64_t columns, const RowMatrix<T>& result) {
  Strips<T>(columns).for_each([&](std::int64_t first, int count, int vectors) {
    PositionTile<T> tile;
    tile.offsets = offsets.data();
    tile.positions = depth;
    tile.panel = b.data + first;
    tile.panel_stride = b.stride;
    tile.result = {.columns = count, .accumulate = true};
    for_each_tile(rows, max_rows(vectors), [&](std::int64_t row, int height) {
      std::array<const T*, max_tile_rows> from;
      std::array<T*, max_tile_rows> to;
      for (int i = 0; i < height; ++i) {
        from[static_cast<std::size_t>(i)] = scores + row + i;
        to[static_cast<std::size_t>(i)] = result.row(row + i) + first;
      }
      position_tile_function<T>(height, vectors)(tile, from.data(), to.data());
    });
  });
}

/// The sum of a[i] b[i].
template <class T>
T dot_product(const T* a, const T* b, std::int64_t size) {
  Vector<T> sums{};
  std::int64_t i = 0;
  for (; i + vector_length<T> <= size; i += vector_length<T>) {
    Vector<T> of_a;
    Vector<T> of_b;
    load<T>(of_a, a + i);
    load<T>(of_b, b + i);
    sums += of_a * of_b;
  }
  T sum = combine_elements<T, vector_length<T>>(sums, [](const auto& x, const auto& y) { return x + y; });
  for (; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

/// Copies rows of `size` elements times a factor; the rest of whole registers is zero.
template <class T>
void copy_rows(const RowMatrix<const T>& from, std::int64_t rows, std::int64_t size, T factor, const RowMatrix<T>& to) {
  const std::int64_t whole = whole_registers<T>(size);
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* const source = from.row(row);
    T* const target = to.row(row);
    for (std::int64_t i = 0; i < size; ++i) target[i] = source[i] * factor;
    std::fill(target + size, target + whole, T());
  }
}

/// to[i][j] = from[j][i] for rows of `size` elements; the rest of whole registers is zero.
template <class T>
void copy_transposed(const RowMatrix<const T>& from, std::int64_t rows, std::int64_t size, const RowMatrix<T>& to) {
  transpose_matrix<T>(from.data, from.stride, rows, size, to.data, to.stride);
  const std::int64_t whole = whole_registers<T>(rows);
  if (whole == rows) return;
  for (std::int64_t i = 0; i < size; ++i) std::fill(to.row(i) + rows, to.row(i) + whole, T());
}

}  // namespace rhyton::cpu
