#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <rhyton/framework/backends/cpu/matmul/product.h>

namespace rhyton::cpu {

/// Positions that are summed before the tile's results are written to memory.
inline constexpr std::int64_t max_positions = 256;
/// Rows of a transposed factor that stay in the L2 cache for so many positions.
inline constexpr std::int64_t max_transposed_rows = 256;

/// Requests the lines of a block of a matrix, a few at a time, so that they are in the L2 cache when they are copied.
template <class T>
class Prefetch {
 public:
  Prefetch() = default;
  Prefetch(const T* from, std::int64_t stride, std::int64_t rows, std::int64_t columns)
      : row_(from), stride_(stride), rows_(rows), columns_(columns) {}

  std::int64_t lines() const { return rows_ * ((columns_ + line - 1) / line); }

  void request(std::int64_t lines) {
    for (; rows_ > 0 && lines > 0; --lines) {
      __builtin_prefetch(row_ + column_, 0, 2);
      column_ += line;
      if (column_ < columns_) continue;
      column_ = 0;
      row_ += stride_;
      --rows_;
    }
  }

 private:
  static constexpr std::int64_t line = 64 / sizeof(T);

  const T* row_ = nullptr;
  std::int64_t stride_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t column_ = 0;
};

/// A product whose `a` is transposed: the sum over positions, the rows of `a` and `b`, of the products of one of a's
/// columns with b's row. Blocks of both are copied to where their rows lie close together; while tiles multiply one
/// block, the next is requested from memory.
template <class T>
class TransposedProduct {
 public:
  explicit TransposedProduct(const Product<T>& product)
      : product_(product),
        strips_(product.columns),
        begin_(product.strip_share.begin(strips_.count)),
        end_(product.strip_share.end(strips_.count)),
        copies_a_(copies_rows(product.a_stride, product.columns)),
        copies_b_(!reads_in_place<T>(product.rows, product.columns, true, product.transpose_b)),
        stride_(copies_a_ ? copied_stride(product.rows) : product.a_stride) {
    WorkspaceCutter cutter(product.workspace);
    const std::int64_t positions = positions_from(0);
    offsets_ = cutter.take<std::int64_t>(positions);
    if (copies_a_) copy_ = cutter.take<T>(positions * stride_);
    strip_ = cutter.take<T>(0);
    for (std::int64_t i = 0; i < positions; ++i) offsets_[i] = i * stride_;
  }

  /// The bytes of `Product::workspace`.
  static std::size_t workspace_bytes(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t a_stride,
                                     bool transpose_b) {
    WorkspaceCutter cutter(nullptr);
    const std::int64_t positions = std::min(depth, max_positions);
    cutter.take<std::int64_t>(positions);
    if (copies_rows(a_stride, columns)) cutter.take<T>(positions * copied_stride(rows));
    if (!reads_in_place<T>(rows, columns, true, transpose_b)) cutter.take<T>(positions * widest_strip<T>(columns));
    return cutter.used();
  }

  void compute() {
    if (product_.depth == 0) return clear();
    for (std::int64_t first = 0; first < product_.depth; first += max_positions) {
      for (std::int64_t top = 0; top < product_.rows; top += max_transposed_rows) multiply_block(first, top);
    }
  }

 private:
  /// Whether rows of `a` that are that far apart, and would evict each other from the caches, are copied for so many
  /// columns.
  static bool copies_rows(std::int64_t a_stride, std::int64_t columns) {
    constexpr std::int64_t fewest_bytes = 2048;
    return a_stride * static_cast<std::int64_t>(sizeof(T)) >= fewest_bytes && Strips<T>(columns).count > 1;
  }

  /// The distance between copied rows: an odd number of cache lines.
  static std::int64_t copied_stride(std::int64_t rows) {
    constexpr std::int64_t line = 64 / sizeof(T);
    return (std::min(rows, max_transposed_rows) / line / 2 * 2 + 3) * line;
  }

  /// The result of sums over nothing.
  void clear() {
    if (product_.result.accumulate || product_.columns == 0) return;
    const std::int64_t left = strips_.first_column(begin_);
    const std::int64_t right = std::min(product_.columns, strips_.first_column(end_));
    for (std::int64_t row = 0; row < product_.rows; ++row) {
      std::fill(product_.c + row * product_.columns + left, product_.c + row * product_.columns + right, T());
    }
  }

  std::int64_t positions_from(std::int64_t first) const { return std::min(max_positions, product_.depth - first); }
  std::int64_t rows_from(std::int64_t top) const { return std::min(max_transposed_rows, product_.rows - top); }

  /// Adds the products of the positions from `first` on to the results' rows from `top` on.
  void multiply_block(std::int64_t first, std::int64_t top) {
    const std::int64_t rows = rows_from(top);
    const T* const a = rows_of_a(first, top);
    Prefetch<T> next_rows = rows_after(first, top);
    const std::int64_t tiles = (rows + max_rows(max_vectors) - 1) / max_rows(max_vectors);
    const std::int64_t row_lines = next_rows.lines() / std::max<std::int64_t>(1, tiles * (end_ - begin_)) + 1;
    strips_.for_each_group(begin_, end_, 1, [&](std::int64_t column, int columns, int vectors, int) {
      const std::int64_t positions = positions_from(first);
      const PanelStrip<T> strip = strip_of(product_, first, positions, column, columns, vectors, strip_);
      Prefetch<T> next_strip = strip_after(first, column, columns);
      const std::int64_t strip_lines = next_strip.lines() / tiles + 1;
      const PositionTile<T> tile = {.offsets = offsets_,
                                    .positions = positions,
                                    .panel = strip.data,
                                    .panel_stride = strip.stride,
                                    .result = chunk_result(product_, first, first + positions, column, columns)};
      for_each_tile(rows, max_rows(vectors), [&](std::int64_t first_row, int height) {
        std::array<const T*, max_tile_rows> from;
        std::array<T*, max_tile_rows> to;
        for (int row = 0; row < height; ++row) {
          from[static_cast<std::size_t>(row)] = a + first_row + row;
          to[static_cast<std::size_t>(row)] = product_.c + (top + first_row + row) * product_.columns + column;
        }
        next_rows.request(row_lines);
        next_strip.request(strip_lines);
        position_tile_function<T>(height, vectors)(tile, from.data(), to.data());
      });
    });
  }

  /// The columns of `a` from `top` on, for the positions from `first` on, at a distance of `stride_`.
  const T* rows_of_a(std::int64_t first, std::int64_t top) {
    const T* const a = product_.a + first * product_.a_stride + top;
    if (!copies_a_) return a;
    const std::size_t bytes = static_cast<std::size_t>(rows_from(top)) * sizeof(T);
    for (std::int64_t i = 0; i < positions_from(first); ++i) {
      std::memcpy(copy_ + i * stride_, a + i * product_.a_stride, bytes);
    }
    return copy_;
  }

  /// What `rows_of_a` copies next.
  Prefetch<T> rows_after(std::int64_t first, std::int64_t top) const {
    top += max_transposed_rows;
    if (top >= product_.rows) {
      top = 0;
      first += max_positions;
    }
    if (!copies_a_ || first >= product_.depth) return {};
    return {product_.a + first * product_.a_stride + top, product_.a_stride, positions_from(first), rows_from(top)};
  }

  /// The strip that is copied next; a transposed `b` is not requested.
  Prefetch<T> strip_after(std::int64_t first, std::int64_t column, std::int64_t columns) const {
    column += columns;
    if (column >= std::min(product_.columns, strips_.first_column(end_))) {
      column = strips_.first_column(begin_);
      first += max_positions;
    }
    if (!copies_b_ || product_.transpose_b || first >= product_.depth) return {};
    return {product_.b + first * product_.columns + column, product_.columns, positions_from(first),
            std::min(columns, product_.columns - column)};
  }

  const Product<T>& product_;
  const Strips<T> strips_;
  /// The strips that are computed.
  const std::int64_t begin_;
  const std::int64_t end_;
  const bool copies_a_;
  const bool copies_b_;
  /// From one position of `a` to the next, where tiles read it.
  const std::int64_t stride_;
  std::int64_t* offsets_ = nullptr;
  T* copy_ = nullptr;
  T* strip_ = nullptr;
};

}  // namespace rhyton::cpu
