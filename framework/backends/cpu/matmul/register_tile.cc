#include <rhyton/framework/backends/cpu/matmul/register_tile.h>

#include <array>

#include <rhyton/framework/backends/cpu/primitives/vector_part.h>

namespace rhyton::cpu {
namespace {

/// Brings the sums of a tile to memory.
template <class T, int height, int width>
__attribute__((always_inline)) inline void finish(const TileResult<T>& result, Vector<T> (&sums)[height][width],
                                                  T* const* outputs) {
  constexpr int length = vector_length<T>;
  const int last = result.columns - (width - 1) * length;
  const auto load_columns = [&](const T* row, auto v) __attribute__((always_inline)) {
    return load_some<T>(row + v * length, v < width - 1 ? length : last);
  };
  if (result.scale != nullptr) {
    repeat<width>([&](auto v) __attribute__((always_inline)) {
      const Vector<T> scale = load_columns(result.scale, v);
      repeat<height>([&](auto r) __attribute__((always_inline)) { sums[r][v] *= scale; });
    });
  }
  if (result.bias != nullptr) {
    repeat<width>([&](auto v) __attribute__((always_inline)) {
      const Vector<T> bias = load_columns(result.bias, v);
      repeat<height>([&](auto r) __attribute__((always_inline)) { sums[r][v] += bias; });
    });
  }
  if (result.accumulate) {
    repeat<height>([&](auto r) __attribute__((always_inline)) {
      repeat<width>([&](auto v) __attribute__((always_inline)) { sums[r][v] += load_columns(outputs[r], v); });
    });
  }
  if (result.relu) {
    repeat<height>([&](auto r) __attribute__((always_inline)) {
      repeat<width>([&](auto v) __attribute__((always_inline)) { rectify(result, sums[r][v]); });
    });
  }
  if (last == length) {
    repeat<height>([&](auto r) __attribute__((always_inline)) {
      repeat<width>([&](auto v) __attribute__((always_inline)) { store<T>(outputs[r] + v * length, sums[r][v]); });
    });
  } else {
    repeat<height>([&](auto r) __attribute__((always_inline)) {
      repeat<width - 1>([&](auto v) __attribute__((always_inline)) { store<T>(outputs[r] + v * length, sums[r][v]); });
      // A copy: whose address is taken must not be the sum, or all sums live in memory.
      const Vector<T> part = sums[r][width - 1];
      store_part<T>(outputs[r] + (width - 1) * length, part, last);
    });
  }
}

/// sums += the outer product of one factor per row and one row of the panel.
template <class T, int height, int width>
__attribute__((always_inline)) inline void add_product(Vector<T> (&sums)[height][width], const T* const (&rows)[height],
                                                       std::int64_t at, const T* panel) {
  Vector<T> columns[width];
  repeat<width>([&](auto v) __attribute__((always_inline)) { load<T>(columns[v], panel + v * vector_length<T>); });
  repeat<height>([&](auto r) __attribute__((always_inline)) {
    const T factor = rows[r][at];
    repeat<width>([&](auto v) __attribute__((always_inline)) { sums[r][v] += factor * columns[v]; });
  });
}

template <class T, int height, int width>
__attribute__((always_inline)) inline void begin(Vector<T> (&sums)[height][width], const T* (&row)[height],
                                                 const T* const* rows) {
  repeat<height>([&](auto r) __attribute__((always_inline)) {
    row[r] = rows[r];
    repeat<width>([&](auto v) __attribute__((always_inline)) { sums[r][v] = Vector<T>{}; });
  });
}

/// Calls function(position in the rows, row of the panel) for all that is summed.
template <class T, class Function>
__attribute__((always_inline)) inline void for_each_panel_row(const RowTile<T>& tile, Function&& function) {
  const std::int64_t stride = tile.panel_stride;
  for (std::int64_t o = 0; o < tile.outer; ++o) {
    for (std::int64_t i = 0; i < tile.inner; ++i) {
      const T* panel = tile.panel + o * tile.panel_outer + i * tile.panel_inner;
      const std::int64_t first = o * tile.row_outer + i * tile.row_inner;
      const std::int64_t last = first + tile.depth;
      for (std::int64_t at = first; at < last; ++at, panel += stride) {
        function(at, panel);
      }
    }
  }
}

template <class T, int height, int width>
void run_row_tile(const RowTile<T>& tile, const T* const* rows, T* const* outputs) {
  Vector<T> sums[height][width];
  const T* row[height];
  begin<T, height, width>(sums, row, rows);
  for_each_panel_row(
      tile, [&](std::int64_t at, const T* panel)
                __attribute__((always_inline)) { add_product<T, height, width>(sums, row, at, panel); });
  finish<T, height, width>(tile.result, sums, outputs);
}

template <class T, int strips, int height>
void run_row_strips(const RowTile<T>& tile, std::int64_t panel_distance, const T* const* rows, T* const* outputs) {
  constexpr int width = max_vectors * vector_length<T>;
  Vector<T> sums[strips][height][max_vectors];
  const T* row[height];
  repeat<strips>([&](auto s) __attribute__((always_inline)) { begin<T, height, max_vectors>(sums[s], row, rows); });
  for_each_panel_row(
      tile, [&](std::int64_t at, const T* panel) __attribute__((always_inline)) {
        repeat<strips>([&](auto s) __attribute__((always_inline)) {
          add_product<T, height, max_vectors>(sums[s], row, at, panel + s * panel_distance);
        });
      });
  repeat<strips>([&](auto s) __attribute__((always_inline)) {
    TileResult<T> result = tile.result;
    result.columns = width;
    if (result.scale != nullptr) result.scale += s * width;
    if (result.bias != nullptr) result.bias += s * width;
    T* to[height];
    repeat<height>([&](auto r) __attribute__((always_inline)) { to[r] = outputs[r] + s * width; });
    finish<T, height, max_vectors>(result, sums[s], to);
  });
}

template <class T, int height, int width>
void run_position_tile(const PositionTile<T>& tile, const T* const* rows, T* const* outputs) {
  Vector<T> sums[height][width];
  const T* row[height];
  begin<T, height, width>(sums, row, rows);
  const T* panel = tile.panel;
  const std::int64_t* const end = tile.offsets + tile.positions;
  for (const std::int64_t* offset = tile.offsets; offset != end; ++offset, panel += tile.panel_stride) {
    add_product<T, height, width>(sums, row, *offset, panel);
  }
  finish<T, height, width>(tile.result, sums, outputs);
}

template <class Function>
using Table = std::array<std::array<Function, 13>, max_vectors + 1>;

template <class Function, class Make>
constexpr Table<Function> make_table(Make make) {
  Table<Function> table{};
  repeat<max_vectors>([&](auto v) {
    repeat<max_rows(v + 1)>([&](auto r) {
      table[v + 1][r + 1] = make(std::integral_constant<int, r + 1>(), std::integral_constant<int, v + 1>());
    });
  });
  return table;
}

}  // namespace

template <class T>
RowTileFunction<T> row_tile_function(int rows, int vectors) {
  static constexpr auto table =
      make_table<RowTileFunction<T>>([](auto height, auto width) { return &run_row_tile<T, height, width>; });
  return table[static_cast<std::size_t>(vectors)][static_cast<std::size_t>(rows)];
}

template <class T>
RowStripsFunction<T> row_strips_function(int rows) {
  constexpr int maximum = strips_together(2) > 1 ? 2 : 1;
  static constexpr auto table = [] {
    std::array<RowStripsFunction<T>, maximum + 1> functions{};
    repeat<maximum>([&](auto r) { functions[r + 1] = &run_row_strips<T, strips_together(r + 1), r + 1>; });
    return functions;
  }();
  return table[static_cast<std::size_t>(rows)];
}

template <class T>
PositionTileFunction<T> position_tile_function(int rows, int vectors) {
  static constexpr auto table =
      make_table<PositionTileFunction<T>>([](auto height, auto width) { return &run_position_tile<T, height, width>; });
  return table[static_cast<std::size_t>(vectors)][static_cast<std::size_t>(rows)];
}

template RowTileFunction<float> row_tile_function<float>(int, int);
template RowTileFunction<double> row_tile_function<double>(int, int);
template RowStripsFunction<float> row_strips_function<float>(int);
template RowStripsFunction<double> row_strips_function<double>(int);
template PositionTileFunction<float> position_tile_function<float>(int, int);
template PositionTileFunction<double> position_tile_function<double>(int, int);

}  // namespace rhyton::cpu
