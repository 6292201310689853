#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

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

/// Lane i becomes the sum of all lanes of the vector that of_row(vector, first + i) sets, for i < `rows`, a power of
/// two: vectors are added in pairs, lanes that are `rows` / 2 apart to one.
template <class T, int rows, class Function>
__attribute__((always_inline)) inline void add_lanes(Vector<T>& result, int first, const Function& of_row) {
  if constexpr (rows == 1) {
    of_row(result, first);
  } else {
    constexpr int length = vector_length<T>;
    constexpr int apart = rows / 2;
    Vector<T> a;
    Vector<T> b;
    add_lanes<T, apart>(a, first, of_row);
    add_lanes<T, apart>(b, first + apart, of_row);
    [&]<int... lane>(std::integer_sequence<int, lane...>) __attribute__((always_inline)) {
      result = __builtin_shufflevector(a, b, ((lane & apart) == 0 ? lane : length + lane)...) +
               __builtin_shufflevector(a, b, ((lane & apart) == 0 ? lane ^ apart : length + (lane ^ apart))...);
    }
    (std::make_integer_sequence<int, length>());
  }
}

/// results[i] = the sum over d of row[d] matrix[i][d] for i < `rows`, of rows of `size` elements, which stay where they
/// are; the rest of whole registers is anything.
template <class T>
void multiply_by_rows(const T* row, std::int64_t size, const RowMatrix<const T>& matrix, std::int64_t rows,
                      T* results) {
  constexpr int length = vector_length<T>;
  const std::int64_t whole = size / length * length;
  for (std::int64_t first = 0; first < rows; first += length) {
    Vector<T> sums;
    add_lanes<T, length>(
        sums, 0, [&](Vector<T> & sum, int i) __attribute__((always_inline)) {
          const T* const from = matrix.row(std::min(first + i, rows - 1));
          sum = Vector<T>{};
          for (std::int64_t d = 0; d < whole; d += length) {
            Vector<T> a;
            Vector<T> b;
            load<T>(a, row + d);
            load<T>(b, from + d);
            sum += a * b;
          }
          if (whole == size) return;
          Vector<T> a;
          Vector<T> b;
          load_part<T>(a, row + whole, static_cast<int>(size - whole));
          load_part<T>(b, from + whole, static_cast<int>(size - whole));
          sum += a * b;
        });
    store<T>(results + first, sums);
  }
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
