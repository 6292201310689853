#include <rhyton/framework/backends/cpu/conv/depthwise.h>

#include <algorithm>
#include <array>

namespace rhyton::cpu {
namespace {

/// a / b. Most strides are 1, and a division takes as long as many products.
std::int64_t quotient(std::int64_t a, std::int64_t b) { return b == 1 ? a : a / b; }

/// A product that is added to a pixel of the result: places in the source and in the kernel.
struct Tap {
  std::int64_t source;
  std::int64_t kernel;
};

/// The elements of the source that make up one of the result, the target, along one axis: for tap k that at
/// (target · scale + shift + k · step) / divisor, if this is a whole number and an index of the source.
struct TapAxis {
  std::int64_t targets;
  std::int64_t sources;
  std::int64_t taps;
  std::int64_t scale;
  std::int64_t shift;
  std::int64_t step;
  std::int64_t divisor;

  /// Of the output from the input.
  static TapAxis forward(const WindowAxis& axis) {
    return {axis.output, axis.input, axis.window, axis.stride, -axis.pad_before, axis.dilation, 1};
  }
  /// Of the input's gradient from the output's.
  static TapAxis backward(const WindowAxis& axis) {
    return {axis.input, axis.output, axis.window, 1, axis.pad_before, -axis.dilation, axis.stride};
  }

  /// Negative if there is none.
  std::int64_t source(std::int64_t target, std::int64_t tap) const {
    const std::int64_t place = target * scale + shift + tap * step;
    const std::int64_t source = quotient(place, divisor);
    return place < 0 || source * divisor != place || source >= sources ? -1 : source;
  }
};

/// Targets first, first + distance, … which have the same taps, and whose sources are `TapAxis::scale` apart.
struct Run {
  std::int64_t first;
  std::int64_t count;
};

/// Calls function(run) for all targets of an axis. Those whose window lies within the source are one run per remainder
/// of the divisor, all others are alone.
template <class Function>
void for_each_run(const TapAxis& axis, Function&& function) {
  for (std::int64_t first = 0; first < std::min(axis.divisor, axis.targets); ++first) {
    const std::int64_t count = quotient(axis.targets - first - 1, axis.divisor) + 1;
    std::int64_t begin = 0;
    std::int64_t end = count;
    for (std::int64_t tap = 0; tap < axis.taps; ++tap) {
      const std::int64_t place = first * axis.scale + axis.shift + tap * axis.step;
      const std::int64_t source = quotient(place, axis.divisor);
      if (source * axis.divisor != place) continue;
      const std::int64_t rest = axis.sources - 1 - source;
      if (source < 0) begin = std::max(begin, quotient(axis.scale - 1 - source, axis.scale));
      end = std::min(end, rest < 0 ? 0 : quotient(rest, axis.scale) + 1);
    }
    if (begin >= end) begin = end = count;
    for (std::int64_t i = 0; i < begin; ++i) function(Run{first + i * axis.divisor, 1});
    if (begin < end) function(Run{first + begin * axis.divisor, end - begin});
    for (std::int64_t i = end; i < count; ++i) function(Run{first + i * axis.divisor, 1});
  }
}

/// A run of pixels: their sums over the taps.
template <class T>
struct RunSums {
  const Tap* taps;
  std::int64_t tap_count;
  const T* source;
  const T* kernel;
  T* target;
  std::int64_t count;
  /// Elements from one pixel to the next.
  std::int64_t source_step;
  std::int64_t target_step;
};

/// What the sum of a channel begins with.
template <class T>
T first_sum(const TileResult<T>& result, std::int64_t channel) {
  return result.bias == nullptr || result.scale != nullptr ? T() : result.bias[channel];
}

/// A channel's result.
template <class T>
T finished(const TileResult<T>& result, std::int64_t channel, T sum) {
  if (result.scale != nullptr) {
    sum = sum * result.scale[channel] + (result.bias == nullptr ? T() : result.bias[channel]);
  }
  if (!result.relu) return sum;
  sum = sum < T() ? T() : sum;
  return sum > result.highest ? result.highest : sum;
}

template <class T, int pixels, int vectors>
void add_taps(const RunSums<T>& run, std::int64_t pixel, std::int64_t channel, const TileResult<T>& result) {
  constexpr std::int64_t length = vector_length<T>;
  std::array<std::array<Vector<T>, vectors>, pixels> sums;
  repeat<vectors>([&](auto v) __attribute__((always_inline)) {
    Vector<T> first{};
    if (result.bias != nullptr && result.scale == nullptr) load<T>(first, result.bias + channel + v * length);
    repeat<pixels>([&](auto p) __attribute__((always_inline)) { sums[p][v] = first; });
  });
  const T* const source = run.source + pixel * run.source_step + channel;
  const T* const kernel = run.kernel + channel;
  for (std::int64_t tap = 0; tap < run.tap_count; ++tap) {
    const T* const from = source + run.taps[tap].source;
    const T* const weights = kernel + run.taps[tap].kernel;
    repeat<vectors>([&](auto v) __attribute__((always_inline)) {
      Vector<T> weight;
      load<T>(weight, weights + v * length);
      repeat<pixels>([&](auto p) __attribute__((always_inline)) {
        Vector<T> x;
        load<T>(x, from + p * run.source_step + v * length);
        sums[p][v] += x * weight;
      });
    });
  }
  if (result.scale != nullptr) {
    repeat<vectors>([&](auto v) __attribute__((always_inline)) {
      Vector<T> scale;
      Vector<T> bias{};
      load<T>(scale, result.scale + channel + v * length);
      if (result.bias != nullptr) load<T>(bias, result.bias + channel + v * length);
      repeat<pixels>([&](auto p) __attribute__((always_inline)) { sums[p][v] = sums[p][v] * scale + bias; });
    });
  }
  if (result.relu) {
    repeat<pixels>([&](auto p) __attribute__((always_inline)) {
      repeat<vectors>([&](auto v) __attribute__((always_inline)) { rectify(result, sums[p][v]); });
    });
  }
  T* const target = run.target + pixel * run.target_step + channel;
  repeat<pixels>([&](auto p) __attribute__((always_inline)) {
    repeat<vectors>([&](auto v) __attribute__((always_inline)) {
      store<T>(target + p * run.target_step + v * length, sums[p][v]);
    });
  });
}

/// Channels [first, end) of consecutive pixels.
template <class T, int pixels>
void add_taps_of_channels(const RunSums<T>& run, std::int64_t pixel, std::int64_t first, std::int64_t end,
                          const TileResult<T>& result) {
  constexpr std::int64_t length = vector_length<T>;
  std::int64_t channel = first;
  for (; channel + 2 * length <= end; channel += 2 * length) add_taps<T, pixels, 2>(run, pixel, channel, result);
  for (; channel + length <= end; channel += length) add_taps<T, pixels, 1>(run, pixel, channel, result);
  for (; channel < end; ++channel) {
    for (std::int64_t p = pixel; p < pixel + pixels; ++p) {
      T sum = first_sum(result, channel);
      for (std::int64_t tap = 0; tap < run.tap_count; ++tap) {
        sum += run.source[run.taps[tap].source + p * run.source_step + channel] *
               run.kernel[run.taps[tap].kernel + channel];
      }
      run.target[p * run.target_step + channel] = finished(result, channel, sum);
    }
  }
}

/// One filter per channel. Sources and kernel stay in the L1 cache for a few channels of all pixels.
template <class T>
void add_run(const RunSums<T>& run, std::int64_t channels, const TileResult<T>& result) {
  constexpr std::int64_t block = 8 * vector_length<T>;
  for (std::int64_t first = 0; first < channels; first += block) {
    const std::int64_t end = std::min(first + block, channels);
    std::int64_t pixel = 0;
    for (; pixel + 4 <= run.count; pixel += 4) add_taps_of_channels<T, 4>(run, pixel, first, end, result);
    if (pixel + 2 <= run.count) {
      add_taps_of_channels<T, 2>(run, pixel, first, end, result);
      pixel += 2;
    }
    if (pixel < run.count) add_taps_of_channels<T, 1>(run, pixel, first, end, result);
  }
}

/// Several filters per channel: of the outputs.
template <class T>
void add_run_of_filters(const RunSums<T>& run, std::int64_t filters, std::int64_t multiplier,
                        const TileResult<T>& result) {
  for (std::int64_t pixel = 0; pixel < run.count; ++pixel) {
    T* const __restrict target = run.target + pixel * run.target_step;
    for (std::int64_t filter = 0; filter < filters; ++filter) target[filter] = first_sum(result, filter);
    for (std::int64_t tap = 0; tap < run.tap_count; ++tap) {
      const T* const __restrict source = run.source + run.taps[tap].source + pixel * run.source_step;
      const T* const __restrict weights = run.kernel + run.taps[tap].kernel;
      for (std::int64_t filter = 0; filter < filters; ++filter) {
        target[filter] += source[filter / multiplier] * weights[filter];
      }
    }
    if (!result.relu && result.scale == nullptr) continue;
    for (std::int64_t filter = 0; filter < filters; ++filter) {
      target[filter] = finished(result, filter, target[filter]);
    }
  }
}

/// Several filters per channel: of the gradients of the inputs.
template <class T>
void add_run_from_filters(const RunSums<T>& run, std::int64_t filters, std::int64_t multiplier) {
  for (std::int64_t pixel = 0; pixel < run.count; ++pixel) {
    T* const __restrict target = run.target + pixel * run.target_step;
    std::fill(target, target + filters / multiplier, T());
    for (std::int64_t tap = 0; tap < run.tap_count; ++tap) {
      const T* const __restrict source = run.source + run.taps[tap].source + pixel * run.source_step;
      const T* const __restrict weights = run.kernel + run.taps[tap].kernel;
      for (std::int64_t filter = 0; filter < filters; ++filter) {
        target[filter / multiplier] += source[filter] * weights[filter];
      }
    }
  }
}

/// The memory for the taps of a run, and for those of a line.
struct TapLists {
  TapLists(const ConvGeometry& geometry, WorkspaceCutter& cutter)
      : taps(cutter.take<Tap>(geometry.taps())), lines(cutter.take<Tap>(geometry.rows.window)) {}
  Tap* taps;
  Tap* lines;
};

/// Calls function(run) for the lines [first, end) of an image of the result: pixels of `target_channels` from pixels of
/// `source_channels`.
template <class T, class Function>
void for_each_sum(const ConvGeometry& geometry, const TapAxis& rows, const TapAxis& columns,
                  std::int64_t source_channels, std::int64_t target_channels, const T* source, const T* kernel,
                  T* target, std::int64_t first, std::int64_t end, const TapLists& lists, Function&& function) {
  for (std::int64_t row = first; row < end; ++row) {
    std::int64_t lines = 0;
    for (std::int64_t tap = 0; tap < rows.taps; ++tap) {
      const std::int64_t line = rows.source(row, tap);
      if (line >= 0) lists.lines[lines++] = {line * columns.sources, tap * columns.taps};
    }
    for_each_run(columns, [&](const Run& run) {
      std::int64_t count = 0;
      for (std::int64_t tap = 0; tap < columns.taps; ++tap) {
        const std::int64_t column = columns.source(run.first, tap);
        if (column < 0) continue;
        for (std::int64_t line = 0; line < lines; ++line) {
          lists.taps[count++] = {(lists.lines[line].source + column) * source_channels,
                                 (lists.lines[line].kernel + tap) * geometry.filters};
        }
      }
      function(RunSums<T>{.taps = lists.taps,
                          .tap_count = count,
                          .source = source,
                          .kernel = kernel,
                          .target = target + (row * columns.targets + run.first) * target_channels,
                          .count = run.count,
                          .source_step = columns.scale * source_channels,
                          .target_step = columns.divisor * target_channels});
    });
  }
}

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

std::size_t depthwise_workspace_bytes(const ConvGeometry& geometry) {
  WorkspaceCutter cutter(nullptr);
  TapLists lists(geometry, cutter);
  return cutter.used();
}

template <class T>
void depthwise_forward(const ConvGeometry& geometry, const T* x, const T* kernel, const TileResult<T>& result, T* y,
                       void* workspace) {
  WorkspaceCutter cutter(workspace);
  const TapLists lists(geometry, cutter);
  const TapAxis rows = TapAxis::forward(geometry.rows);
  const TapAxis columns = TapAxis::forward(geometry.columns);
  const std::int64_t first = rows.targets * geometry.piece / geometry.pieces;
  const std::int64_t end = rows.targets * (geometry.piece + 1) / geometry.pieces;
  for (std::int64_t image = 0; image < geometry.images; ++image) {
    const T* const source = x + image * rows.sources * columns.sources * geometry.channels;
    T* const target = y + image * geometry.pixels() * geometry.filters;
    for_each_sum(geometry, rows, columns, geometry.channels, geometry.filters, source, kernel, target, first, end,
                 lists, [&](const RunSums<T>& run) {
                   if (geometry.group_filters == 1) {
                     add_run(run, geometry.channels, result);
                   } else {
                     add_run_of_filters(run, geometry.filters, geometry.group_filters, result);
                   }
                 });
  }
}

template <class T>
void depthwise_input_gradient(const ConvGeometry& geometry, const T* kernel, const T* dy, T* dx, void* workspace) {
  WorkspaceCutter cutter(workspace);
  const TapLists lists(geometry, cutter);
  const TapAxis rows = TapAxis::backward(geometry.rows);
  const TapAxis columns = TapAxis::backward(geometry.columns);
  for (std::int64_t image = 0; image < geometry.images; ++image) {
    const T* const source = dy + image * geometry.pixels() * geometry.filters;
    T* const target = dx + image * rows.targets * columns.targets * geometry.channels;
    for_each_sum(geometry, rows, columns, geometry.filters, geometry.channels, source, kernel, target, 0, rows.targets,
                 lists, [&](const RunSums<T>& run) {
                   if (geometry.group_filters == 1) {
                     add_run(run, geometry.channels, {});
                   } else {
                     add_run_from_filters(run, geometry.filters, geometry.group_filters);
                   }
                 });
  }
}

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

template void depthwise_forward(const ConvGeometry&, const float*, const float*, const TileResult<float>&, float*,
                                void*);
template void depthwise_forward(const ConvGeometry&, const double*, const double*, const TileResult<double>&, double*,
                                void*);
template void depthwise_input_gradient(const ConvGeometry&, const float*, const float*, float*, void*);
template void depthwise_input_gradient(const ConvGeometry&, const double*, const double*, double*, void*);
template void depthwise_kernel_gradient(const ConvGeometry&, const float*, const float*, float*, bool, void*);
template void depthwise_kernel_gradient(const ConvGeometry&, const double*, const double*, double*, bool, void*);

}  // namespace rhyton::cpu
