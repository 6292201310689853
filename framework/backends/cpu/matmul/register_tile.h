#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <rhyton/framework/backends/cpu/primitives/vector.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton::cpu {

/// Registers that a tile is wide at most.
inline constexpr int max_vectors = vector_bytes == 64 ? 4 : 2;

// The innermost loops of matrix products and convolutions: a tile of results stays in registers while everything that
// belongs to it is added up.

/// Rows of the largest tile that is `vectors` registers wide: results, one row of the panel and a factor fit into the
/// register file.
constexpr int max_rows(int vectors) {
  if (vectors == 1) return 12;
  if (max_vectors == 2) return 6;
  return 24 / vectors;
}

/// No tile has more rows.
inline constexpr int max_tile_rows = max_rows(1);
static_assert(max_tile_rows >= max_rows(2) && max_tile_rows >= max_rows(max_vectors));

/// What happens to a tile's results on their way to memory.
template <class T>
struct TileResult {
  /// Columns that exist; those of the last vector beyond them are computed and dropped.
  int columns = 0;
  bool accumulate = false;
  /// Multiplies each column before the bias is added; not with `accumulate`.
  const T* scale = nullptr;
  const T* bias = nullptr;
  bool relu = false;
  /// The upper limit of a ReLU.
  T highest = std::numeric_limits<T>::infinity();
};

/// ReLU with its limit. Written so that NaN stays NaN.
template <class T>
__attribute__((always_inline)) inline void rectify(const TileResult<T>& result, Vector<T>& value) {
  value = value < T() ? Vector<T>{} : value;
  value = value > result.highest ? Vector<T>{} + result.highest : value;
}

/// outputs[r][j] = sum over o, i, k of rows[r][o row_outer + i row_inner + k] panel[o panel_outer + i panel_inner +
/// k panel_stride + j]. A convolution's window is such a sum: its rows, their taps and the channels.
template <class T>
struct RowTile {
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  std::int64_t depth = 0;
  std::int64_t row_outer = 0;
  std::int64_t row_inner = 0;
  const T* panel = nullptr;
  std::int64_t panel_outer = 0;
  std::int64_t panel_inner = 0;
  std::int64_t panel_stride = 0;
  TileResult<T> result;
};

template <class T>
using RowTileFunction = void (*)(const RowTile<T>& tile, const T* const* rows, T* const* outputs);

/// The function for 1 to max_rows(vectors) rows.
template <class T>
RowTileFunction<T> row_tile_function(int rows, int vectors);

/// The number of strips that are computed side by side for so few rows that the sums of one strip's tile would wait for
/// each other; else 1.
constexpr int strips_together(std::int64_t rows) {
  constexpr int independent_sums = 8;
  return rows <= 0 || rows * max_vectors >= independent_sums
             ? 1
             : independent_sums / (static_cast<int>(rows) * max_vectors);
}

/// The same as the function for a tile `max_vectors` wide, for `strips_together(rows)` strips: each panel begins
/// `panel_distance` behind the one before, and all of a strip's columns exist.
template <class T>
using RowStripsFunction = void (*)(const RowTile<T>& tile, std::int64_t panel_distance, const T* const* rows,
                                   T* const* outputs);

/// For numbers of rows whose strips go side by side.
template <class T>
RowStripsFunction<T> row_strips_function(int rows);

/// Runs a tile of that many rows: of one strip, or of `strips` that go side by side.
template <class T>
void run_strips(const RowTile<T>& tile, int strips, std::int64_t panel_distance, int rows, int vectors,
                const T* const* from, T* const* to) {
  if (strips > 1) {
    row_strips_function<T>(rows)(tile, panel_distance, from, to);
  } else {
    row_tile_function<T>(rows, vectors)(tile, from, to);
  }
}

/// outputs[r][j] = sum over i of rows[r][offsets[i]] panel[i panel_stride + j]: the sum runs over positions (samples,
/// pixels), as in the derivatives of weights.
template <class T>
struct PositionTile {
  const std::int64_t* offsets = nullptr;
  std::int64_t positions = 0;
  const T* panel = nullptr;
  std::int64_t panel_stride = 0;
  TileResult<T> result;
};

template <class T>
using PositionTileFunction = void (*)(const PositionTile<T>& tile, const T* const* rows, T* const* outputs);

template <class T>
PositionTileFunction<T> position_tile_function(int rows, int vectors);

/// Deals `count` rows to as few tiles as possible, all about equally high: calls function(first, rows).
template <class Function>
void for_each_tile(std::int64_t count, int maximum, Function&& function) {
  if (count <= maximum) {
    if (count > 0) function(std::int64_t{0}, static_cast<int>(count));
    return;
  }
  const std::int64_t tiles = (count + maximum - 1) / maximum;
  std::int64_t first = 0;
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t rows = count / tiles + (tile < count % tiles ? 1 : 0);
    function(first, static_cast<int>(rows));
    first += rows;
  }
}

/// The columns of a product cut into strips of at most `max_vectors` registers, all about equally wide.
template <class T>
struct Strips {
  std::int64_t columns;
  std::int64_t vectors;
  std::int64_t count;

  explicit Strips(std::int64_t columns)
      : columns(columns),
        vectors((columns + vector_length<T> - 1) / vector_length<T>),
        count((vectors + max_vectors - 1) / max_vectors) {}

  /// Columns with the padding to whole registers.
  std::int64_t padded() const { return vectors * vector_length<T>; }

  /// The column with which a strip begins; for `count` the padded number of columns.
  std::int64_t first_column(std::int64_t strip) const { return first_vector(strip) * vector_length<T>; }

  /// Calls function(first column, columns, vectors) for each strip.
  template <class Function>
  void for_each(Function&& function) const {
    for_each_group(0, count, 1,
                   [&](std::int64_t first, int width, int registers, int) { function(first, width, registers); });
  }

  /// Calls function(first column, columns, vectors, strips) for the strips [begin, end): for `together` of them at once
  /// where they are `max_vectors` wide and all their columns exist, else for one.
  template <class Function>
  void for_each_group(std::int64_t begin, std::int64_t end, int together, Function&& function) const {
    constexpr std::int64_t widest = static_cast<std::int64_t>(max_vectors) * vector_length<T>;
    for (std::int64_t strip = begin; strip < end;) {
      const std::int64_t first = first_column(strip);
      const std::int64_t width = first_column(strip + 1) - first;
      const bool is_group = together > 1 && strip + together <= end && first + together * widest <= columns &&
                            first_column(strip + together) == first + together * widest;
      const std::int64_t rest = columns - first;
      const std::int64_t maximum = is_group ? together * widest : width;
      const int strips = is_group ? together : 1;
      function(first, static_cast<int>(rest < maximum ? rest : maximum), static_cast<int>(width / vector_length<T>),
               strips);
      strip += strips;
    }
  }

 private:
  // All about equally wide, as for_each_tile makes its tiles.
  std::int64_t first_vector(std::int64_t strip) const {
    const std::int64_t wider = vectors % count;
    return strip * (vectors / count) + (strip < wider ? strip : wider);
  }
};

/// `bytes` rounded up to whole cache lines.
constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Hands out parts of a workspace; with a null base it only counts.
class WorkspaceCutter {
 public:
  explicit WorkspaceCutter(void* base) : base_(static_cast<std::byte*>(base)) {}

  template <class T>
  T* take(std::int64_t count) {
    T* part = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + used_);
    used_ = checked_add(used_, whole_lines(checked_multiply(static_cast<std::size_t>(count), sizeof(T))));
    return part;
  }
  std::size_t used() const { return used_; }

 private:
  std::byte* base_;
  std::size_t used_ = 0;
};

}  // namespace rhyton::cpu
