#pragma once

#include <array>

#include <rhyton/framework/backends/cpu/conv/geometry.h>
#include <rhyton/framework/backends/cpu/matmul/panel.h>

namespace rhyton::cpu {

// The direct convolution: each tile of the output is a sum over the window, in registers.

/// Whether Keras's kernel, [tap, channel, filter], can be read in place: its rows are whole registers.
template <class T>
bool reads_kernel_in_place(const ConvGeometry& geometry) {
  return geometry.group_filters % vector_length<T> == 0 && geometry.filters <= 2 * max_vectors * vector_length<T>;
}

template <class T>
std::size_t direct_packed_bytes(const ConvGeometry& geometry) {
  if (geometry.is_depthwise() || reads_kernel_in_place<T>(geometry)) return 0;
  const std::int64_t padded = Strips<T>(geometry.group_filters).padded();
  return static_cast<std::size_t>(geometry.groups * geometry.depth() * padded) * sizeof(T);
}

/// Fills the memory of `direct_packed_bytes`: strips of the kernel, group after group.
template <class T>
void pack_direct(const ConvGeometry& geometry, const T* kernel, T* to) {
  const Strips<T> strips(geometry.group_filters);
  for (std::int64_t group = 0; group < geometry.groups; ++group) {
    strips.for_each([&](std::int64_t filter, int filters, int vectors) {
      const std::int64_t width = static_cast<std::int64_t>(vectors) * vector_length<T>;
      fill_panel<T>(to + geometry.depth() * (group * strips.padded() + filter), width,
                    kernel + group * geometry.group_filters + filter, geometry.depth(), filters, geometry.filters, 1);
    });
  }
}

/// The constants of all tiles of a direct convolution.
template <class T>
struct DirectConv {
  const ConvGeometry& geometry;
  const T* kernel;
  const T* packed;
  T* y;
  TileResult<T> result;
};

/// A tile's sum over the window of one group's filters from `filter` on.
template <class T>
RowTile<T> window_tile(const DirectConv<T>& conv, std::int64_t line, std::int64_t group, std::int64_t filter,
                       int filters, int vectors) {
  const ConvGeometry& geometry = conv.geometry;
  RowTile<T> tile;
  if (conv.packed == nullptr) {
    tile.panel = conv.kernel + group * geometry.group_filters + filter;
    tile.panel_stride = geometry.filters;
  } else {
    const std::int64_t padded = Strips<T>(geometry.group_filters).padded();
    tile.panel = conv.packed + geometry.depth() * (group * padded + filter);
    tile.panel_stride = static_cast<std::int64_t>(vectors) * vector_length<T>;
  }
  tile.outer = geometry.rows.window;
  tile.row_outer = geometry.rows.dilation * line;
  tile.panel_outer = geometry.columns.window * geometry.group_channels * tile.panel_stride;
  if (geometry.columns.dilation == 1 && geometry.groups == 1) {
    // A line of the window is contiguous, in the images as in the kernel.
    tile.depth = geometry.columns.window * geometry.channels;
  } else {
    tile.inner = geometry.columns.window;
    tile.row_inner = geometry.columns.dilation * geometry.channels;
    tile.panel_inner = geometry.group_channels * tile.panel_stride;
    tile.depth = geometry.group_channels;
  }
  tile.result = conv.result;
  tile.result.columns = filters;
  if (tile.result.scale != nullptr) tile.result.scale += group * geometry.group_filters + filter;
  if (tile.result.bias != nullptr) tile.result.bias += group * geometry.group_filters + filter;
  return tile;
}

/// Convolves the windows that begin at images + offsets[i], for one strip of one group's filters; the results of window
/// i go to y + i * y_stride.
template <class T>
void convolve_positions(const RowTile<T>& tile, int vectors, const T* images, const std::int64_t* offsets,
                        std::int64_t positions, T* y, std::int64_t y_stride) {
  for_each_tile(positions, max_rows(vectors), [&](std::int64_t first, int rows) {
    std::array<const T*, max_tile_rows> from;
    std::array<T*, max_tile_rows> to;
    for (int row = 0; row < rows; ++row) {
      from[static_cast<std::size_t>(row)] = images + offsets[first + row];
      to[static_cast<std::size_t>(row)] = y + (first + row) * y_stride;
    }
    row_tile_function<T>(rows, vectors)(tile, from.data(), to.data());
  });
}

}  // namespace rhyton::cpu
