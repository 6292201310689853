#pragma once

#include <array>
#include <cstring>

#include <rhyton/framework/backends/cpu/conv/geometry.h>
#include <rhyton/framework/backends/cpu/conv/winograd_schemes.h>
#include <rhyton/framework/backends/cpu/matmul/register_tile.h>
#include <rhyton/framework/backends/cpu/primitives/share.h>
#include <rhyton/framework/backends/cpu/primitives/transpose.h>

namespace rhyton::cpu {

/// The lengths of a convolution by a scheme: images of `channels`, convolved to images of `filters`.
struct WinogradShape {
  std::int64_t images = 0;
  std::int64_t channels = 0;
  std::int64_t filters = 0;
  /// Per axis: input, output, and the distance by which tiles begin before the input.
  std::array<std::int64_t, 2> input = {0, 0};
  std::array<std::int64_t, 2> output = {0, 0};
  std::array<std::int64_t, 2> pad_before = {0, 0};
  /// The part of the result that is computed: of the tiles, and of the filters' strips.
  Share tile_share;
  Share filter_share;
};

/// The layout of the kernel: Keras's, [row, column, channel, filter], or that of the convolution whose derivative is
/// computed, [row, column, filter, channel], with the window rotated by 180 degrees or not.
enum class KernelLayout { plain, rotated, transposed };

/// Elements of the kernel's transform: for each strip of filters its points, and for each of them a panel.
template <class T, class Scheme>
std::int64_t winograd_kernel_size(std::int64_t channels, std::int64_t filters) {
  return Scheme::points * channels * Strips<T>(filters).padded();
}

/// The transform of the kernels of one channel and a register of filters: load(value, row, column) returns their taps.
/// Points are `point_stride` apart.
template <class T, class Scheme, class Load>
__attribute__((always_inline)) inline void transform_taps(Load&& load, T* to, std::int64_t point_stride) {
  apply_on_both_sides<T, KernelMatrix<typename Scheme::Rows>, KernelMatrix<typename Scheme::Columns>>(
      load, [&](auto row, auto column, const Vector<T>& value) __attribute__((always_inline)) {
        store<T>(to + (row * Scheme::Columns::points + column) * point_stride, value);
      });
}

/// The transform of a kernel in Keras's layout.
template <class T, class Scheme>
void transform_plain_kernel(const T* kernel, std::int64_t channels, std::int64_t filters, T* to) {
  constexpr std::int64_t length = vector_length<T>;
  constexpr int column_taps = Scheme::Columns::taps;
  const std::int64_t tap_size = channels * filters;
  Strips<T>(filters).for_each([&](std::int64_t strip, int columns, int vectors) {
    const std::int64_t width = static_cast<std::int64_t>(vectors) * length;
    T* panel = to + Scheme::points * channels * strip;
    for (std::int64_t channel = 0; channel < channels; ++channel, panel += width) {
      const T* const from = kernel + channel * filters + strip;
      for (std::int64_t filter = 0; filter < columns; filter += length) {
        const int count = static_cast<int>(std::min<std::int64_t>(length, columns - filter));
        const auto tap_of = [&](auto row, auto column) __attribute__((always_inline)) {
          return from + (row * column_taps + column) * tap_size + filter;
        };
        if (count == length) {
          transform_taps<T, Scheme>(
              [&](Vector<T> & value, auto row, auto column)
                  __attribute__((always_inline)) { load<T>(value, tap_of(row, column)); },
              panel + filter, channels * width);
        } else {
          transform_taps<T, Scheme>(
              [&](Vector<T>& value, auto row, auto column) { load_part<T>(value, tap_of(row, column), count); },
              panel + filter, channels * width);
        }
      }
    }
  });
}

/// The transform of a kernel whose channels and filters are exchanged.
template <class T, class Scheme, bool is_rotated>
void transform_exchanged_kernel(const T* kernel, std::int64_t channels, std::int64_t filters, T* to) {
  constexpr std::int64_t length = vector_length<T>;
  constexpr int column_taps = Scheme::Columns::taps;
  const std::int64_t tap_size = channels * filters;
  // Four cache lines of each filter at a time: [tap][channel of a run][filter of a run].
  constexpr std::int64_t run = 4 * length;
  alignas(64) T taps[Scheme::taps][run][length];
  Strips<T>(filters).for_each([&](std::int64_t strip, int columns, int vectors) {
    const std::int64_t width = static_cast<std::int64_t>(vectors) * length;
    T* const panels = to + Scheme::points * channels * strip;
    for (std::int64_t channel = 0; channel < channels; channel += run) {
      const std::int64_t channel_count = std::min<std::int64_t>(run, channels - channel);
      for (std::int64_t filter = 0; filter < columns; filter += length) {
        const std::int64_t filter_count = std::min<std::int64_t>(length, columns - filter);
        if (filter_count < length) std::memset(taps, 0, sizeof(taps));
        for (int tap = 0; tap < Scheme::taps; ++tap) {
          const int source = is_rotated ? Scheme::taps - 1 - tap : tap;
          const T* from = kernel + source * tap_size + (strip + filter) * channels + channel;
          transpose_matrix<T>(from, channels, filter_count, channel_count, &taps[tap][0][0], length);
        }
        for (std::int64_t i = 0; i < channel_count; ++i) {
          transform_taps<T, Scheme>(
              [&](Vector<T> & value, auto row, auto column)
                  __attribute__((always_inline)) { load<T>(value, taps[row * column_taps + column][i]); },
              panels + (channel + i) * width + filter, channels * width);
        }
      }
    }
  });
}

/// The kernel's transform, of each channel and filter.
template <class T, class Scheme, KernelLayout layout>
void transform_kernel(const T* kernel, std::int64_t channels, std::int64_t filters, T* to) {
  if constexpr (layout == KernelLayout::plain) {
    transform_plain_kernel<T, Scheme>(kernel, channels, filters, to);
  } else {
    transform_exchanged_kernel<T, Scheme, layout == KernelLayout::rotated>(kernel, channels, filters, to);
  }
}

/// The tiles of images, each transformed to points: the matrices of the two axes are applied to rectangles of
/// Rows::columns x Columns::columns pixels that begin `step` pixels apart; pixels outside of an image are zero.
template <class T, class Rows, class Columns>
class WinogradTiles {
 public:
  static constexpr int height = Rows::columns;
  static constexpr int width = Columns::columns;

  /// `images` is the size of one image, `count` the number of tiles, both per axis.
  WinogradTiles(const std::array<std::int64_t, 2>& image, std::int64_t channels,
                const std::array<std::int64_t, 2>& count, const std::array<std::int64_t, 2>& step,
                const std::array<std::int64_t, 2>& before, WorkspaceCutter& cutter)
      : image_(image),
        channels_(channels),
        padded_channels_(padded(channels)),
        count_(count),
        step_(step),
        before_(before),
        edge_(cutter.template take<T>(height * width * channels)) {}

  static std::int64_t padded(std::int64_t count) {
    return (count + vector_length<T> - 1) / vector_length<T> * vector_length<T>;
  }
  /// The distance from one point to the next of a block of tiles: never a power of two, or all points of a tile would
  /// map to the same cache set.
  static std::int64_t stride(std::int64_t block, std::int64_t padded_length) {
    return block * padded_length + vector_length<T>;
  }
  std::int64_t padded_channels() const { return padded_channels_; }

  /// Transforms one tile of all images; it becomes number `place` of the block in `results`,
  /// [point][tile of the block][channel].
  void transform(const T* x, std::int64_t tile, std::int64_t place, std::int64_t block, T* results) {
    const std::int64_t per_image = count_[0] * count_[1];
    const std::int64_t row = tile % per_image / count_[1] * step_[0] - before_[0];
    const std::int64_t column = tile % count_[1] * step_[1] - before_[1];
    const T* const image = x + tile / per_image * image_[0] * image_[1] * channels_;
    const bool is_inside = row >= 0 && column >= 0 && row + height <= image_[0] && column + width <= image_[1];
    const T* from = image + (row * image_[1] + column) * channels_;
    std::int64_t line = image_[1] * channels_;
    if (!is_inside) {
      copy_edge(image, row, column);
      from = edge_;
      line = width * channels_;
    }
    const std::int64_t point_stride = stride(block, padded_channels_);
    T* const to = results + place * padded_channels_;
    const auto transform_channels = [&](std::int64_t channel, auto&& load_one) __attribute__((always_inline)) {
      apply_on_both_sides<T, Rows, Columns>(
          [&](Vector<T> & value, auto r, auto c)
              __attribute__((always_inline)) { load_one(value, from + r * line + c * channels_ + channel); },
          [&](auto r, auto c, const Vector<T>& value) __attribute__((always_inline)) {
            store<T>(to + (r * Columns::rows + c) * point_stride + channel, value);
          });
    };
    std::int64_t channel = 0;
    for (; channel + vector_length<T> <= channels_; channel += vector_length<T>) {
      transform_channels(
          channel, [](Vector<T> & value, const T* at) __attribute__((always_inline)) { load<T>(value, at); });
    }
    if (channel == channels_) return;
    const int rest = static_cast<int>(channels_ - channel);
    transform_channels(channel, [&](Vector<T>& value, const T* at) { load_part<T>(value, at, rest); });
  }

 private:
  /// The tile with zeros beyond the image.
  void copy_edge(const T* image, std::int64_t row, std::int64_t column) {
    const std::int64_t first = std::max<std::int64_t>(0, -column);
    const std::int64_t last = std::max(first, std::min<std::int64_t>(width, image_[1] - column));
    for (std::int64_t r = 0; r < height; ++r) {
      T* const to = edge_ + r * width * channels_;
      if (row + r < 0 || row + r >= image_[0]) {
        std::fill(to, to + width * channels_, T());
        continue;
      }
      const T* const from = image + ((row + r) * image_[1] + column) * channels_;
      std::fill(to, to + first * channels_, T());
      std::copy(from + first * channels_, from + last * channels_, to + first * channels_);
      std::fill(to + last * channels_, to + width * channels_, T());
    }
  }

  std::array<std::int64_t, 2> image_;
  std::int64_t channels_;
  std::int64_t padded_channels_;
  std::array<std::int64_t, 2> count_;
  std::array<std::int64_t, 2> step_;
  std::array<std::int64_t, 2> before_;
  T* edge_;
};

/// The distance between tiles, which is the size of those of the output.
template <class Scheme>
constexpr std::array<std::int64_t, 2> tile_steps = {Scheme::Rows::outputs, Scheme::Columns::outputs};

/// Tiles of the output per axis.
template <class Scheme>
std::array<std::int64_t, 2> tile_counts(const WinogradShape& shape) {
  constexpr std::array<std::int64_t, 2> step = tile_steps<Scheme>;
  return {(shape.output[0] + step[0] - 1) / step[0], (shape.output[1] + step[1] - 1) / step[1]};
}

/// The tiles of the input, transformed.
template <class T, class Scheme>
using InputTiles = WinogradTiles<T, InputMatrix<typename Scheme::Rows>, InputMatrix<typename Scheme::Columns>>;

/// Tiles that are transformed at a time: both transforms of a block stay in the L2 cache.
template <class T, class Scheme>
std::int64_t tiles_per_block(const WinogradShape& shape) {
  constexpr std::int64_t max_bytes = 384 * 1024;
  const std::array<std::int64_t, 2> count = tile_counts<Scheme>(shape);
  const std::int64_t channels =
      InputTiles<T, Scheme>::padded(shape.channels) + InputTiles<T, Scheme>::padded(shape.filters);
  const std::int64_t bytes = Scheme::points * channels * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t maximum = std::max<std::int64_t>(max_rows(max_vectors), max_bytes / bytes);
  return std::max<std::int64_t>(1, std::min(maximum, shape.images * count[0] * count[1]));
}

/// Convolves a block of tiles at a time: the tiles of the input are transformed, multiplied with the kernel's transform
/// point by point, and the results transformed to tiles of the output.
template <class T, class Scheme>
class WinogradConv {
 public:
  static constexpr int points = Scheme::points;

  WinogradConv(const WinogradShape& shape, void* workspace)
      : shape_(shape),
        cutter_(workspace),
        tiles_(tile_counts<Scheme>(shape)),
        inputs_of_(shape.input, shape.channels, tiles_, tile_steps<Scheme>, shape.pad_before, cutter_),
        padded_channels_(inputs_of_.padded_channels()),
        padded_filters_(inputs_of_.padded(shape.filters)),
        block_(tiles_per_block<T, Scheme>(shape)),
        strips_(shape.filters),
        first_strip_(shape.filter_share.begin(strips_.count)),
        end_strip_(shape.filter_share.end(strips_.count)) {
    inputs_ = cutter_.take<T>(points * inputs_of_.stride(block_, padded_channels_));
    products_ = cutter_.take<T>(points * inputs_of_.stride(block_, padded_filters_));
  }

  std::size_t workspace_bytes() const { return cutter_.used(); }

  /// Calls sink(image, tile row, tile column, first filter, filters, values) for each tile of the output and register
  /// of filters; values[row][column] are the tile's elements.
  template <class Sink>
  void run(const T* x, const T* kernel, Sink&& sink) {
    const std::int64_t per_image = tiles_[0] * tiles_[1];
    const std::int64_t begin = shape_.tile_share.begin(shape_.images * per_image);
    const std::int64_t end = shape_.tile_share.end(shape_.images * per_image);
    for_each_tile(end - begin, static_cast<int>(block_), [&](std::int64_t position, int count) {
      const std::int64_t first = begin + position;
      for (int i = 0; i < count; ++i) inputs_of_.transform(x, first + i, i, count, inputs_);
      multiply(kernel, count);
      for (int i = 0; i < count; ++i) {
        const std::int64_t tile = first + i;
        finish_tile(tile / per_image, tile % per_image / tiles_[1], tile % tiles_[1], i, count, sink);
      }
    });
  }

 private:
  void multiply(const T* kernel, std::int64_t count) {
    strips_.for_each_group(first_strip_, end_strip_, 1, [&](std::int64_t strip, int, int vectors, int) {
      const std::int64_t width = static_cast<std::int64_t>(vectors) * vector_length<T>;
      RowTile<T> tile;
      tile.depth = shape_.channels;
      tile.panel_stride = width;
      tile.result.columns = static_cast<int>(width);
      for (int point = 0; point < points; ++point) {
        tile.panel = kernel + points * shape_.channels * strip + point * shape_.channels * width;
        const T* const rows = inputs_ + point * inputs_of_.stride(count, padded_channels_);
        T* const results = products_ + point * inputs_of_.stride(count, padded_filters_) + strip;
        for_each_tile(count, max_rows(vectors), [&](std::int64_t first, int height) {
          std::array<const T*, max_tile_rows> from;
          std::array<T*, max_tile_rows> to;
          for (int row = 0; row < height; ++row) {
            from[static_cast<std::size_t>(row)] = rows + (first + row) * padded_channels_;
            to[static_cast<std::size_t>(row)] = results + (first + row) * padded_filters_;
          }
          row_tile_function<T>(height, vectors)(tile, from.data(), to.data());
        });
      }
    });
  }

  template <class Sink>
  void finish_tile(std::int64_t image, std::int64_t row, std::int64_t column, std::int64_t place, std::int64_t count,
                   Sink&& sink) {
    const std::int64_t point_stride = inputs_of_.stride(count, padded_filters_);
    const std::int64_t end = std::min(shape_.filters, strips_.first_column(end_strip_));
    for (std::int64_t filter = strips_.first_column(first_strip_); filter < end; filter += vector_length<T>) {
      const T* const from = products_ + place * padded_filters_ + filter;
      Vector<T> values[Scheme::Rows::outputs][Scheme::Columns::outputs];
      apply_on_both_sides<T, OutputMatrix<typename Scheme::Rows>, OutputMatrix<typename Scheme::Columns>>(
          [&](Vector<T> & value, auto r, auto c) __attribute__((always_inline)) {
            load<T>(value, from + (r * Scheme::Columns::points + c) * point_stride);
          },
          [&](auto r, auto c, const Vector<T>& value) __attribute__((always_inline)) { values[r][c] = value; });
      sink(image, row, column, filter, std::min<std::int64_t>(vector_length<T>, shape_.filters - filter), values);
    }
  }

  WinogradShape shape_;
  WorkspaceCutter cutter_;
  std::array<std::int64_t, 2> tiles_;
  InputTiles<T, Scheme> inputs_of_;
  std::int64_t padded_channels_;
  std::int64_t padded_filters_;
  std::int64_t block_;
  Strips<T> strips_;
  std::int64_t first_strip_;
  std::int64_t end_strip_;
  T* inputs_ = nullptr;
  T* products_ = nullptr;
};

}  // namespace rhyton::cpu
