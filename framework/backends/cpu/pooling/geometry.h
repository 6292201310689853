#pragma once

#include <algorithm>
#include <cstdint>

#include <rhyton/framework/backends/cpu/primitives/vector.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/tensor/shape.h>

namespace rhyton::cpu {

/// The lengths of a pooling, from the shapes of (a slice of) its images.
struct PoolGeometry {
  std::int64_t images;
  std::int64_t channels;
  WindowAxis rows;
  WindowAxis columns;

  PoolGeometry(const Shape& x, const Pool2DAttributes& attributes)
      : images(x[0]),
        channels(x[3]),
        rows(x[1], attributes.pool_size[0], attributes.strides[0], 1, attributes.padding),
        columns(x[2], attributes.pool_size[1], attributes.strides[1], 1, attributes.padding) {}

  std::int64_t image_size() const { return rows.input * columns.input * channels; }
  bool windows_overlap() const { return rows.stride < rows.window || columns.stride < columns.window; }
  /// Whether every cell is in exactly one window.
  bool tiles_exactly() const { return tiles(rows) && tiles(columns); }

 private:
  static bool tiles(const WindowAxis& axis) {
    return axis.stride == axis.window && axis.output * axis.stride >= axis.input;
  }
};

/// One position of the window: its cells inside the image.
struct PoolWindow {
  std::int64_t image;
  std::int64_t top;
  std::int64_t left;
  std::int64_t first_row;
  std::int64_t last_row;
  std::int64_t first_column;
  std::int64_t last_column;

  std::int64_t cells() const { return (last_row - first_row) * (last_column - first_column); }
};

/// Calls function(window, output pixel) for every position.
template <class Function>
void for_each_window(const PoolGeometry& geometry, Function&& function) {
  const WindowAxis& rows = geometry.rows;
  const WindowAxis& columns = geometry.columns;
  std::int64_t pixel = 0;
  for (std::int64_t image = 0; image < geometry.images; ++image) {
    for (std::int64_t row = 0; row < rows.output; ++row) {
      const std::int64_t top = row * rows.stride - rows.pad_before;
      for (std::int64_t column = 0; column < columns.output; ++column, ++pixel) {
        const std::int64_t left = column * columns.stride - columns.pad_before;
        function(PoolWindow{image, top, left, std::max<std::int64_t>(0, top), std::min(rows.input, top + rows.window),
                            std::max<std::int64_t>(0, left), std::min(columns.input, left + columns.window)},
                 pixel);
      }
    }
  }
}

/// Calls function(offset of the cell's first channel in its image, position in the window).
template <class Function>
__attribute__((always_inline)) inline void for_each_cell(const PoolGeometry& geometry, const PoolWindow& window,
                                                         Function&& function) {
  if (geometry.columns.window == 2 && geometry.rows.window == 2 && window.cells() == 4) {
    // The usual window, unrolled.
    const std::int64_t line = geometry.columns.input * geometry.channels;
    const std::int64_t first = window.top * line + window.left * geometry.channels;
    repeat<4>([&](auto position) __attribute__((always_inline)) {
      function(first + position / 2 * line + position % 2 * geometry.channels, std::int64_t{position});
    });
    return;
  }
  for (std::int64_t row = window.first_row; row < window.last_row; ++row) {
    for (std::int64_t column = window.first_column; column < window.last_column; ++column) {
      function((row * geometry.columns.input + column) * geometry.channels,
               (row - window.top) * geometry.columns.window + column - window.left);
    }
  }
}

/// Calls whole(channel) for runs of channels that fill a register, part(channel) for each of the others.
template <class T, class Whole, class Part>
__attribute__((always_inline)) inline void for_each_channel(std::int64_t channels, Whole&& whole, Part&& part) {
  std::int64_t channel = 0;
  for (; channel + vector_length<T> <= channels; channel += vector_length<T>) whole(channel);
  for (; channel < channels; ++channel) part(channel);
}

}  // namespace rhyton::cpu
