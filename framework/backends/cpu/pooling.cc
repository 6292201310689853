#include <rhyton/framework/ops/pooling.h>

#include <algorithm>
#include <limits>

#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/backends/cpu/vector.h>

namespace rhyton::cpu {
namespace {

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
  /// Whether every cell lies in exactly one window.
  bool tiles_exactly() const { return tiles(rows) && tiles(columns); }

 private:
  static bool tiles(const WindowAxis& axis) {
    return axis.stride == axis.window && axis.output * axis.stride >= axis.input;
  }
};

/// One position of the window: its cells that lie in the image.
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

template <class Index, class T>
using IndexVector = typename VectorOf<Index, vector_length<T>>::Type;

template <class T, class Index>
void max_pool(const PoolGeometry& geometry, const T* x, T* y, Index* index) {
  const std::int64_t channels = geometry.channels;
  for_each_window(geometry, [&](const PoolWindow& window, std::int64_t pixel) {
    const T* const image = x + window.image * geometry.image_size();
    // A cell wins that is greater, or meets a NaN: a window of NaN alone gives NaN.
    for_each_channel<T>(
        channels,
        [&](std::int64_t channel) {
          Vector<T> best = Vector<T>{} + std::numeric_limits<T>::quiet_NaN();
          MaskVector<T> place{};
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t position) __attribute__((always_inline)) {
                Vector<T> cell;
                load<T>(cell, image + offset + channel);
                const MaskVector<T> wins = (cell > best) | (best != best);
                best = wins ? cell : best;
                place = wins ? MaskVector<T>{} + static_cast<MaskElement<T>>(position) : place;
              });
          store<T>(y + pixel * channels + channel, best);
          const auto narrow = __builtin_convertvector(place, IndexVector<Index, T>);
          std::memcpy(index + pixel * channels + channel, &narrow, sizeof(narrow));
        },
        [&](std::int64_t channel) {
          T best = std::numeric_limits<T>::quiet_NaN();
          std::int64_t place = 0;
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t position) __attribute__((always_inline)) {
                const T cell = image[offset + channel];
                if (!(cell > best || best != best)) return;
                best = cell;
                place = position;
              });
          y[pixel * channels + channel] = best;
          index[pixel * channels + channel] = static_cast<Index>(place);
        });
  });
}

template <class T, class Index>
void max_pool_gradient(const PoolGeometry& geometry, const T* dy, const Index* index, T* dx) {
  const std::int64_t channels = geometry.channels;
  const bool adds = geometry.windows_overlap();
  if (!geometry.tiles_exactly()) std::fill(dx, dx + geometry.images * geometry.image_size(), T());
  for_each_window(geometry, [&](const PoolWindow& window, std::int64_t pixel) {
    T* const image = dx + window.image * geometry.image_size();
    for_each_channel<T>(
        channels,
        [&](std::int64_t channel) {
          Vector<T> gradient;
          load<T>(gradient, dy + pixel * channels + channel);
          IndexVector<Index, T> narrow;
          std::memcpy(&narrow, index + pixel * channels + channel, sizeof(narrow));
          const MaskVector<T> place = __builtin_convertvector(narrow, MaskVector<T>);
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t position) __attribute__((always_inline)) {
                Vector<T> cell = place == static_cast<MaskElement<T>>(position) ? gradient : Vector<T>{};
                T* const to = image + offset + channel;
                if (adds) {
                  Vector<T> before;
                  load<T>(before, to);
                  cell += before;
                }
                store<T>(to, cell);
              });
        },
        [&](std::int64_t channel) {
          const T gradient = dy[pixel * channels + channel];
          const std::int64_t place = index[pixel * channels + channel];
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t position) __attribute__((always_inline)) {
                const T cell = place == position ? gradient : T();
                T& to = image[offset + channel];
                to = adds ? to + cell : cell;
              });
        });
  });
}

template <class T, class Index>
void max_pool_select(const PoolGeometry& geometry, const T* x, const Index* index, T* y) {
  const std::int64_t channels = geometry.channels;
  for_each_window(geometry, [&](const PoolWindow& window, std::int64_t pixel) {
    const T* const image = x + window.image * geometry.image_size();
    for (std::int64_t i = pixel * channels; i < (pixel + 1) * channels; ++i) {
      const std::int64_t row = window.top + index[i] / geometry.columns.window;
      const std::int64_t column = window.left + index[i] % geometry.columns.window;
      y[i] = image[(row * geometry.columns.input + column) * channels + i - pixel * channels];
    }
  });
}

template <class T>
void average_pool(const PoolGeometry& geometry, const T* x, T* y) {
  const std::int64_t channels = geometry.channels;
  for_each_window(geometry, [&](const PoolWindow& window, std::int64_t pixel) {
    const T* const image = x + window.image * geometry.image_size();
    const T cells = static_cast<T>(window.cells());
    for_each_channel<T>(
        channels,
        [&](std::int64_t channel) {
          Vector<T> sum{};
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t) __attribute__((always_inline)) {
                Vector<T> cell;
                load<T>(cell, image + offset + channel);
                sum += cell;
              });
          store<T>(y + pixel * channels + channel, sum / cells);
        },
        [&](std::int64_t channel) {
          T sum = T();
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t) __attribute__((always_inline)) {
                sum += image[offset + channel];
              });
          y[pixel * channels + channel] = sum / cells;
        });
  });
}

template <class T>
void average_pool_gradient(const PoolGeometry& geometry, const T* dy, T* dx) {
  const std::int64_t channels = geometry.channels;
  std::fill(dx, dx + geometry.images * geometry.image_size(), T());
  for_each_window(geometry, [&](const PoolWindow& window, std::int64_t pixel) {
    T* const image = dx + window.image * geometry.image_size();
    const T cells = static_cast<T>(window.cells());
    for_each_channel<T>(
        channels,
        [&](std::int64_t channel) {
          Vector<T> share;
          load<T>(share, dy + pixel * channels + channel);
          share /= cells;
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t) __attribute__((always_inline)) {
                Vector<T> cell;
                load<T>(cell, image + offset + channel);
                store<T>(image + offset + channel, cell + share);
              });
        },
        [&](std::int64_t channel) {
          const T share = dy[pixel * channels + channel] / cells;
          for_each_cell(
              geometry, window, [&](std::int64_t offset, std::int64_t) __attribute__((always_inline)) {
                image[offset + channel] += share;
              });
        });
  });
}

/// Calls function with the type of the index's elements.
template <class Function>
void with_index_type(const TensorView& index, Function&& function) {
  if (index.spec.dtype == DType::uint8) {
    function(index.as<std::uint8_t>());
  } else {
    function(index.as<std::int32_t>());
  }
}

template <class T>
void run_max_pool(const KernelArguments& arguments) {
  const PoolGeometry geometry(arguments.inputs[0].shape(), arguments.attributes<MaxPool2DOp>().window());
  with_index_type(arguments.outputs[1], [&](auto* index) {
    max_pool(geometry, arguments.inputs[0].as<T>(), arguments.outputs[0].as<T>(), index);
  });
}

template <class T>
void run_max_pool_gradient(const KernelArguments& arguments) {
  const PoolGeometry geometry(arguments.outputs[0].shape(), arguments.attributes<MaxPool2DGradientOp>().window());
  with_index_type(arguments.inputs[1], [&](auto* index) {
    max_pool_gradient(geometry, arguments.inputs[0].as<T>(), index, arguments.outputs[0].as<T>());
  });
}

template <class T>
void run_max_pool_select(const KernelArguments& arguments) {
  const PoolGeometry geometry(arguments.inputs[0].shape(), arguments.attributes<MaxPool2DSelectOp>().window());
  with_index_type(arguments.inputs[1], [&](auto* index) {
    max_pool_select(geometry, arguments.inputs[0].as<T>(), index, arguments.outputs[0].as<T>());
  });
}

template <class T>
void run_average_pool(const KernelArguments& arguments) {
  const PoolGeometry geometry(arguments.inputs[0].shape(), arguments.attributes<AveragePool2DOp>().window());
  average_pool(geometry, arguments.inputs[0].as<T>(), arguments.outputs[0].as<T>());
}

template <class T>
void run_average_pool_gradient(const KernelArguments& arguments) {
  const PoolGeometry geometry(arguments.outputs[0].shape(), arguments.attributes<AveragePool2DGradientOp>().window());
  average_pool_gradient(geometry, arguments.inputs[0].as<T>(), arguments.outputs[0].as<T>());
}

template <class T>
void register_for(KernelTable& table) {
  constexpr DType dtype = dtype_of<T>;
  table.add("MaxPool2D", dtype, {.run = &run_max_pool<T>});
  table.add("MaxPool2DGradient", dtype, {.run = &run_max_pool_gradient<T>});
  table.add("MaxPool2DSelect", dtype, {.run = &run_max_pool_select<T>});
  table.add("AveragePool2D", dtype, {.run = &run_average_pool<T>});
  table.add("AveragePool2DGradient", dtype, {.run = &run_average_pool_gradient<T>});
}

}  // namespace

void register_pooling_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
