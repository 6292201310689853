#include <rhyton/framework/backends/cpu/conv/depthwise.h>

#include <algorithm>
#include <array>

namespace rhyton::cpu {
namespace {

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
  const std::int64_t first = geometry.row_share.begin(rows.targets);
  const std::int64_t end = geometry.row_share.end(rows.targets);
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
  const std::int64_t first = geometry.row_share.begin(rows.targets);
  const std::int64_t end = geometry.row_share.end(rows.targets);
  for (std::int64_t image = 0; image < geometry.images; ++image) {
    const T* const source = dy + image * geometry.pixels() * geometry.filters;
    T* const target = dx + image * rows.targets * columns.targets * geometry.channels;
    for_each_sum(geometry, rows, columns, geometry.filters, geometry.channels, source, kernel, target, first, end,
                 lists, [&](const RunSums<T>& run) {
                   if (geometry.group_filters == 1) {
                     add_run(run, geometry.channels, {});
                   } else {
                     add_run_from_filters(run, geometry.filters, geometry.group_filters);
                   }
                 });
  }
}

template void depthwise_forward(const ConvGeometry&, const float*, const float*, const TileResult<float>&, float*,
                                void*);
template void depthwise_forward(const ConvGeometry&, const double*, const double*, const TileResult<double>&, double*,
                                void*);
template void depthwise_input_gradient(const ConvGeometry&, const float*, const float*, float*, void*);
template void depthwise_input_gradient(const ConvGeometry&, const double*, const double*, double*, void*);

}  // namespace rhyton::cpu
