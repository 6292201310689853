#include <rhyton/framework/backends/gpu/conv/direct_max_pool.h>

#include <rhyton/framework/backends/gpu/conv/direct.h>
#include <rhyton/framework/backends/gpu/conv/dtype.h>
#include <rhyton/framework/backends/gpu/conv/geometry.h>
#include <rhyton/framework/backends/gpu/pooling/largest.h>
#include <rhyton/framework/backends/gpu/pooling/shape.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/ops/conv_max_pool.h>

namespace rhyton::gpu {
namespace {

/// The length of a window's sides, and of the steps between windows.
constexpr int window_side = 2;
constexpr int window_cells = window_side * window_side;

/// One thread for `length` filters at one window: its cells share each weight. Sums and rounding are those of the
/// separate kernels.
template <class T, class Index, int length>
__global__ void convolve_and_pool(ConvGeometry<Index> conv, PoolShape<Index> pool, const T* x, const T* kernel,
                                  const T* bias, bool relu, int no_cell, T* y, std::uint8_t* index) {
  const Index vectors = conv.filters / length;
  const Index windows = conv.images * pool.rows.output * pool.columns.output;
  for_each_index(static_cast<std::int64_t>(windows) * vectors, [&](std::int64_t number_of_thread) {
    const auto i = static_cast<Index>(number_of_thread);
    const Index filter = i % vectors * length;
    const ConvPixel<Index> window(i / vectors, pool.rows.output, pool.columns.output);
    const Index first_channel = filter / conv.group_filters * conv.group_channels;
    const int first_row = pool.rows.begin(static_cast<int>(window.row));
    const int first_column = pool.columns.begin(static_cast<int>(window.column));

    Computed<T> sums[window_cells][length] = {};
    for (Index tap_row = 0; tap_row < conv.kernel_rows; ++tap_row) {
      for (Index tap_column = 0; tap_column < conv.kernel_columns; ++tap_column) {
        const T* weights =
            kernel + (tap_row * conv.kernel_columns + tap_column) * conv.group_channels * conv.filters + filter;
        Index inputs[window_cells];
        for (int cell = 0; cell < window_cells; ++cell) {
          inputs[cell] = covered_input(conv, window.image, static_cast<Index>(first_row + cell / window_side),
                                       static_cast<Index>(first_column + cell % window_side), tap_row, tap_column);
        }
        for (Index channel = 0; channel < conv.group_channels; ++channel, weights += conv.filters) {
          const auto weight = *reinterpret_cast<const ConvVector<T, length>*>(weights);
          for (int cell = 0; cell < window_cells; ++cell) {
            if (inputs[cell] < 0) continue;
            const Computed<T> value = number(x[inputs[cell] * conv.channels + first_channel + channel]);
            for (int lane = 0; lane < length; ++lane) sums[cell][lane] += value * number(weight.values[lane]);
          }
        }
      }
    }

    ConvVector<T, length> values;
    ConvVector<std::uint8_t, length> places;
    for (int lane = 0; lane < length; ++lane) {
      Largest<Computed<T>> largest;
      for (int cell = 0; cell < window_cells; ++cell) {
        const int row = first_row + cell / window_side;
        const int column = first_column + cell % window_side;
        if (row < 0 || row >= pool.rows.input || column < 0 || column >= pool.columns.input) continue;
        Computed<T> value = sums[cell][lane];
        if (bias != nullptr) value += number(bias[filter + lane]);
        largest.meet(number(element<T>(value)), cell);
      }
      if (relu) largest.cut(no_cell);
      values.values[lane] = element<T>(largest.value);
      places.values[lane] = static_cast<std::uint8_t>(largest.place);
    }
    const Index target = i / vectors * conv.filters + filter;
    *reinterpret_cast<ConvVector<T, length>*>(y + target) = values;
    if (index != nullptr) *reinterpret_cast<ConvVector<std::uint8_t, length>*>(index + target) = places;
  });
}

template <class T, int length>
void launch_convolve_and_pool(GpuStream& stream, const ConvolutionProblem& problem, const Pool2DAttributes& pool,
                              const void* x, const void* kernel, const void* bias, bool relu, void* y,
                              std::uint8_t* index) {
  with_conv_index(problem, [&](auto integer) {
    using Index = decltype(integer);
    const PoolShape<Index> shape({problem.images, problem.output[0], problem.output[1], problem.filters}, pool, 1);
    launch(stream, "convolution of few channels and MaxPool2D", one_thread_each(shape.output_size() / length),
           &convolve_and_pool<T, Index, length>, ConvGeometry<Index>(problem), shape, static_cast<const T*>(x),
           static_cast<const T*>(kernel), static_cast<const T*>(bias), relu, static_cast<int>(no_cell(pool)),
           static_cast<T*>(y), index);
  });
}

}  // namespace

bool pools_directly(const ConvolutionProblem& problem, const Pool2DAttributes& pool) {
  constexpr std::array<std::int64_t, 2> sides = {window_side, window_side};
  return is_direct(problem) && pool.pool_size == sides && pool.strides == sides;
}

void direct_max_pool(GpuStream& stream, const ConvolutionProblem& problem, const Pool2DAttributes& pool, const void* x,
                     const void* kernel, const void* bias, bool relu, void* y, std::uint8_t* index) {
  with_floating_dtype(problem.dtype, [&](auto type) {
    using T = decltype(type);
    constexpr int length = 16 / static_cast<int>(sizeof(Computed<T>));
    if (problem.group_filters() % length == 0) {
      launch_convolve_and_pool<T, length>(stream, problem, pool, x, kernel, bias, relu, y, index);
    } else {
      launch_convolve_and_pool<T, 1>(stream, problem, pool, x, kernel, bias, relu, y, index);
    }
  });
}

}  // namespace rhyton::gpu
