#include <rhyton/framework/backends/cpu/conv/depthwise.h>

#include <algorithm>
#include <array>

namespace rhyton::cpu {
namespace {

/// The output columns at which a tap reads the input.
struct ColumnRange {
  std::int64_t begin;
  std::int64_t end;

  ColumnRange() = default;
  ColumnRange(const WindowAxis& axis, std::int64_t tap) {
    const std::int64_t shift = tap * axis.dilation - axis.pad_before;
    const std::int64_t rest = axis.input - 1 - shift;
    begin = shift >= 0 ? 0 : quotient(axis.stride - 1 - shift, axis.stride);
    end = std::max(begin, rest < 0 ? 0 : std::min(axis.output, quotient(rest, axis.stride) + 1));
  }
};

/// The products of lines [first, end) of one image with a row of the kernel: x and dy begin at the channel.
template <class T>
struct KernelRow {
  const ConvGeometry& geometry;
  /// Of each column of the kernel.
  const ColumnRange* ranges;
  std::int64_t row;
  std::int64_t first;
  std::int64_t end;
  const T* x;
  const T* dy;

  /// Where the window of output (line, 0) has the tap at `column`.
  const T* input(std::int64_t line, std::int64_t column) const {
    const WindowAxis& rows = geometry.rows;
    const WindowAxis& columns = geometry.columns;
    const std::int64_t y = line * rows.stride + row * rows.dilation - rows.pad_before;
    return x + (y * columns.input + column * columns.dilation - columns.pad_before) * geometry.channels;
  }
};

/// Adds the products of consecutive taps, from `column` on, to the gradient of the first of them.
template <class T, int taps, int vectors>
void add_products(const KernelRow<T>& lines, std::int64_t column, T* gradient) {
  constexpr std::int64_t length = vector_length<T>;
  const ConvGeometry& geometry = lines.geometry;
  const std::int64_t step = geometry.columns.stride * geometry.channels;
  std::array<ColumnRange, taps> ranges;
  std::array<std::array<Vector<T>, vectors>, taps> sums;
  ColumnRange common;
  common.begin = 0;
  common.end = geometry.columns.output;
  repeat<taps>([&](auto t) __attribute__((always_inline)) {
    ranges[t] = lines.ranges[column + t];
    common.begin = std::max(common.begin, ranges[t].begin);
    common.end = std::min(common.end, ranges[t].end);
    repeat<vectors>([&](auto v) __attribute__((always_inline)) {
      load<T>(sums[t][v], gradient + t * geometry.filters + v * length);
    });
  });
  if (common.begin >= common.end) common.begin = common.end = geometry.columns.output;
  const std::int64_t tap_step = geometry.columns.dilation * geometry.channels;
  for (std::int64_t line = lines.first; line < lines.end; ++line) {
    const T* const x = lines.input(line, column);
    const T* const dy = lines.dy + line * geometry.columns.output * geometry.channels;
    for (std::int64_t pixel = common.begin; pixel < common.end; ++pixel) {
      repeat<vectors>([&](auto v) __attribute__((always_inline)) {
        Vector<T> factor;
        load<T>(factor, dy + pixel * geometry.channels + v * length);
        repeat<taps>([&](auto t) __attribute__((always_inline)) {
          Vector<T> value;
          load<T>(value, x + pixel * step + t * tap_step + v * length);
          sums[t][v] += value * factor;
        });
      });
    }
    repeat<taps>([&](auto t) __attribute__((always_inline)) {
      const auto add = [&](std::int64_t begin, std::int64_t end) __attribute__((always_inline)) {
        for (std::int64_t pixel = begin; pixel < end; ++pixel) {
          repeat<vectors>([&](auto v) __attribute__((always_inline)) {
            Vector<T> factor;
            Vector<T> value;
            load<T>(factor, dy + pixel * geometry.channels + v * length);
            load<T>(value, x + pixel * step + t * tap_step + v * length);
            sums[t][v] += value * factor;
          });
        }
      };
      add(ranges[t].begin, std::min(common.begin, ranges[t].end));
      add(std::max(common.end, ranges[t].begin), ranges[t].end);
    });
  }
  repeat<taps>([&](auto t) __attribute__((always_inline)) {
    repeat<vectors>([&](auto v) __attribute__((always_inline)) {
      store<T>(gradient + t * geometry.filters + v * length, sums[t][v]);
    });
  });
}

template <class T, int vectors>
void add_products_of_row(const KernelRow<T>& lines, T* gradient) {
  const std::int64_t window = lines.geometry.columns.window;
  for (std::int64_t column = 0; column < window;) {
    T* const to = gradient + column * lines.geometry.filters;
    const std::int64_t rest = window - column;
    if (rest == 5) {
      add_products<T, 5, vectors>(lines, column, to);
      column += 5;
    } else if (rest >= 4) {
      add_products<T, 4, vectors>(lines, column, to);
      column += 4;
    } else if (rest == 3) {
      add_products<T, 3, vectors>(lines, column, to);
      column += 3;
    } else {
      add_products<T, 1, vectors>(lines, column, to);
      ++column;
    }
  }
}

/// Channels from `first` on, of which there are too few for a vector, or several filters for each of them.
template <class T>
void add_products_of_filters(const KernelRow<T>& lines, std::int64_t first, T* gradient) {
  const ConvGeometry& geometry = lines.geometry;
  const std::int64_t multiplier = geometry.group_filters;
  for (std::int64_t column = 0; column < geometry.columns.window; ++column) {
    const ColumnRange range = lines.ranges[column];
    T* const __restrict sums = gradient + column * geometry.filters;
    for (std::int64_t line = lines.first; line < lines.end; ++line) {
      const T* const x = lines.input(line, column);
      for (std::int64_t pixel = range.begin; pixel < range.end; ++pixel) {
        const T* const __restrict values = x + pixel * geometry.columns.stride * geometry.channels;
        const T* const __restrict factors = lines.dy + (line * geometry.columns.output + pixel) * geometry.filters;
        for (std::int64_t filter = first; filter < geometry.filters; ++filter) {
          sums[filter] += values[filter / multiplier] * factors[filter];
        }
      }
    }
  }
}

}  // namespace

std::size_t depthwise_kernel_gradient_workspace_bytes(const ConvGeometry& geometry) {
  WorkspaceCutter cutter(nullptr);
  cutter.take<ColumnRange>(geometry.columns.window);
  return cutter.used();
}

template <class T>
void depthwise_kernel_gradient(const ConvGeometry& geometry, const T* x, const T* dy, T* gradient, bool accumulate,
                               void* workspace) {
  // Lines of both that stay in the L2 cache for all channels and taps.
  constexpr std::int64_t max_bytes = 128 * 1024;
  constexpr std::int64_t length = vector_length<T>;
  if (!accumulate) std::fill(gradient, gradient + geometry.taps() * geometry.filters, T());
  if (geometry.pixels() == 0) return;
  WorkspaceCutter cutter(workspace);
  ColumnRange* const ranges = cutter.take<ColumnRange>(geometry.columns.window);
  for (std::int64_t tap = 0; tap < geometry.columns.window; ++tap) ranges[tap] = ColumnRange(geometry.columns, tap);
  const WindowAxis& rows = geometry.rows;
  const std::int64_t line_bytes = (std::min(rows.stride, rows.input) * geometry.columns.input * geometry.channels +
                                   geometry.columns.output * geometry.filters) *
                                  static_cast<std::int64_t>(sizeof(T));
  const std::int64_t chunk = std::max<std::int64_t>(1, max_bytes / std::max<std::int64_t>(1, line_bytes));
  for (std::int64_t image = 0; image < geometry.images; ++image) {
    const T* const image_x = x + image * rows.input * geometry.columns.input * geometry.channels;
    const T* const image_dy = dy + image * geometry.pixels() * geometry.filters;
    for (std::int64_t first = 0; first < rows.output; first += chunk) {
      const std::int64_t end = std::min(first + chunk, rows.output);
      const auto for_each_row = [&](std::int64_t channel, auto&& function) {
        for (std::int64_t row = 0; row < rows.window; ++row) {
          const ColumnRange lines(rows, row);
          function(KernelRow<T>{.geometry = geometry,
                                .ranges = ranges,
                                .row = row,
                                .first = std::max(first, lines.begin),
                                .end = std::min(end, lines.end),
                                .x = image_x + channel,
                                .dy = image_dy + channel},
                   gradient + row * geometry.columns.window * geometry.filters + channel);
        }
      };
      std::int64_t channel = 0;
      if (geometry.group_filters == 1) {
        for (; channel + 2 * length <= geometry.channels; channel += 2 * length) {
          for_each_row(channel, [](const KernelRow<T>& lines, T* to) { add_products_of_row<T, 2>(lines, to); });
        }
        for (; channel + length <= geometry.channels; channel += length) {
          for_each_row(channel, [](const KernelRow<T>& lines, T* to) { add_products_of_row<T, 1>(lines, to); });
        }
      }
      if (channel == geometry.filters) continue;
      for_each_row(0, [&](const KernelRow<T>& lines, T* to) { add_products_of_filters(lines, channel, to); });
    }
  }
}

template void depthwise_kernel_gradient(const ConvGeometry&, const float*, const float*, float*, bool, void*);
template void depthwise_kernel_gradient(const ConvGeometry&, const double*, const double*, double*, bool, void*);

}  // namespace rhyton::cpu
