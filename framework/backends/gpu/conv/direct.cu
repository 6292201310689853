#include <rhyton/framework/backends/gpu/conv/direct.h>

#include <rhyton/framework/backends/gpu/conv/dtype.h>
#include <rhyton/framework/backends/gpu/conv/geometry.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>

namespace rhyton::gpu {
namespace {

/// Neighbouring pixels of a row that one thread computes, so that each weight is loaded once for all of them.
constexpr int strip = 4;
constexpr int max_channels = 4;

/// One thread for `length` filters at `strip` pixels.
template <class T, class Index, int length>
__global__ void forward(ConvGeometry<Index> conv, const T* x, const T* kernel, const T* bias, bool relu, T* y) {
  const Index vectors = conv.filters / length;
  const Index strips = (conv.output_columns + strip - 1) / strip;
  for_each_index(static_cast<std::int64_t>(conv.images) * conv.output_rows * strips * vectors, [&](std::int64_t index) {
    const auto i = static_cast<Index>(index);
    const Index filter = i % vectors * length;
    const ConvPixel<Index> first(i / vectors, conv.output_rows, strips);
    const Index output_column = first.column * strip;
    const Index first_channel = filter / conv.group_filters * conv.group_channels;
    const Index first_row = first.row * conv.row_stride - conv.top;
    const Index first_column = output_column * conv.column_stride - conv.left;

    Computed<T> sums[strip][length] = {};
    for (Index tap_row = 0; tap_row < conv.kernel_rows; ++tap_row) {
      const Index row = first_row + tap_row * conv.row_dilation;
      if (row < 0 || row >= conv.input_rows) continue;
      const T* const line = x + (first.image * conv.input_rows + row) * conv.input_columns * conv.channels;
      for (Index tap_column = 0; tap_column < conv.kernel_columns; ++tap_column) {
        const T* weights =
            kernel + (tap_row * conv.kernel_columns + tap_column) * conv.group_channels * conv.filters + filter;
        for (Index channel = 0; channel < conv.group_channels; ++channel, weights += conv.filters) {
          const auto weight = *reinterpret_cast<const ConvVector<T, length>*>(weights);
          for (int pixel = 0; pixel < strip; ++pixel) {
            const Index column = first_column + pixel * conv.column_stride + tap_column * conv.column_dilation;
            if (column < 0 || column >= conv.input_columns) continue;
            const Computed<T> value = number(line[column * conv.channels + first_channel + channel]);
            for (int lane = 0; lane < length; ++lane) sums[pixel][lane] += value * number(weight.values[lane]);
          }
        }
      }
    }

    T* const target =
        y + ((first.image * conv.output_rows + first.row) * conv.output_columns + output_column) * conv.filters +
        filter;
    for (int pixel = 0; pixel < strip; ++pixel) {
      if (output_column + pixel >= conv.output_columns) break;
      ConvVector<T, length> result;
      for (int lane = 0; lane < length; ++lane) {
        Computed<T> value = sums[pixel][lane];
        if (bias != nullptr) value += number(bias[filter + lane]);
        if (relu && value < Computed<T>(0)) value = 0;
        result.values[lane] = element<T>(value);
      }
      *reinterpret_cast<ConvVector<T, length>*>(target + pixel * conv.filters) = result;
    }
  });
}

/// One thread for one channel of one input pixel: for groups of few filters.
template <class T, class Index>
__global__ void input_gradient_by_threads(ConvGeometry<Index> conv, const T* kernel, const T* dy, T* dx) {
  for_each_index(static_cast<std::int64_t>(conv.input_pixels()) * conv.channels, [&](std::int64_t index) {
    const auto i = static_cast<Index>(index);
    const Index channel = i % conv.channels;
    const ConvPixel<Index> pixel(i / conv.channels, conv.input_rows, conv.input_columns);
    const Index group = channel / conv.group_channels;
    const Index group_channel = channel % conv.group_channels;
    Computed<T> sum = 0;
    for (Index tap_row = 0; tap_row < conv.kernel_rows; ++tap_row) {
      for (Index tap_column = 0; tap_column < conv.kernel_columns; ++tap_column) {
        const Index output = covering_output(conv, pixel, tap_row, tap_column);
        if (output < 0) continue;
        const T* const from = dy + output * conv.filters + group * conv.group_filters;
        const T* const weights =
            kernel +
            ((tap_row * conv.kernel_columns + tap_column) * conv.group_channels + group_channel) * conv.filters +
            group * conv.group_filters;
        for (Index filter = 0; filter < conv.group_filters; ++filter) {
          sum += number(from[filter]) * number(weights[filter]);
        }
      }
    }
    dx[i] = element<T>(sum);
  });
}

constexpr int warp = 32;
constexpr unsigned whole_warp = 0xFFFFFFFFU;

/// One warp for the channels of one group at one input pixel, its lanes along the filters: for groups of many filters.
template <class T, class Index>
__global__ void input_gradient_by_warps(ConvGeometry<Index> conv, const T* kernel, const T* dy, T* dx) {
  const std::int64_t count = static_cast<std::int64_t>(conv.input_pixels()) * conv.groups;
  const auto step = static_cast<std::int64_t>(gridDim.x) * blockDim.y;
  for (std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * blockDim.y + threadIdx.y; index < count;
       index += step) {
    const auto i = static_cast<Index>(index);
    const Index group = i % conv.groups;
    const ConvPixel<Index> pixel(i / conv.groups, conv.input_rows, conv.input_columns);
    Computed<T> sums[max_channels] = {};
    for (Index tap_row = 0; tap_row < conv.kernel_rows; ++tap_row) {
      for (Index tap_column = 0; tap_column < conv.kernel_columns; ++tap_column) {
        const Index output = covering_output(conv, pixel, tap_row, tap_column);
        if (output < 0) continue;
        const T* const from = dy + output * conv.filters + group * conv.group_filters;
        const T* const weights = kernel +
                                 (tap_row * conv.kernel_columns + tap_column) * conv.group_channels * conv.filters +
                                 group * conv.group_filters;
        for (Index filter = static_cast<Index>(threadIdx.x); filter < conv.group_filters; filter += warp) {
          const Computed<T> value = number(from[filter]);
          for (int channel = 0; channel < max_channels; ++channel) {
            if (channel < conv.group_channels)
              sums[channel] += value * number(weights[channel * conv.filters + filter]);
          }
        }
      }
    }
    for (int channel = 0; channel < max_channels; ++channel) {
      if (channel >= conv.group_channels) break;
      for (int distance = warp / 2; distance > 0; distance /= 2) {
        sums[channel] += __shfl_xor_sync(whole_warp, sums[channel], distance);
      }
      if (threadIdx.x == 0) {
        dx[(i / conv.groups) * conv.channels + group * conv.group_channels + channel] = element<T>(sums[channel]);
      }
    }
  }
}

template <class T, int length>
void launch_forward(GpuStream& stream, const ConvolutionProblem& problem, const void* x, const void* kernel,
                    const void* bias, bool relu, void* y) {
  const std::int64_t strips = (problem.output[1] + strip - 1) / strip;
  const std::int64_t threads = problem.images * problem.output[0] * strips * (problem.filters / length);
  with_conv_index(problem, [&](auto index) {
    using Index = decltype(index);
    launch(stream, "convolution of few channels", one_thread_each(threads), &forward<T, Index, length>,
           ConvGeometry<Index>(problem), static_cast<const T*>(x), static_cast<const T*>(kernel),
           static_cast<const T*>(bias), relu, static_cast<T*>(y));
  });
}

}  // namespace

bool is_direct(const ConvolutionProblem& problem) {
  // Beyond this depth tensor cores are faster in spite of the padded channels.
  constexpr std::int64_t max_depth = 64;
  constexpr std::int64_t max_filters = 4;
  // A grid of the kernel gradient has a row of blocks for nine weights of some filters.
  constexpr std::int64_t max_weights = 65535;
  return !problem.is_empty() && problem.group_channels() <= max_channels &&
         (problem.depth() <= max_depth ||
          (problem.group_filters() <= max_filters && problem.kernel_size() <= max_weights));
}

void direct_forward(GpuStream& stream, const ConvolutionProblem& problem, const void* x, const void* kernel,
                    const void* bias, bool relu, void* y) {
  with_floating_dtype(problem.dtype, [&](auto type) {
    using T = decltype(type);
    constexpr int length = 16 / static_cast<int>(sizeof(Computed<T>));
    if (problem.group_filters() % length == 0) {
      launch_forward<T, length>(stream, problem, x, kernel, bias, relu, y);
    } else {
      launch_forward<T, 1>(stream, problem, x, kernel, bias, relu, y);
    }
  });
}

void direct_input_gradient(GpuStream& stream, const ConvolutionProblem& problem, const void* kernel, const void* dy,
                           void* dx) {
  with_floating_dtype(problem.dtype, [&](auto type) {
    using T = decltype(type);
    with_conv_index(problem, [&](auto index) {
      using Index = decltype(index);
      const ConvGeometry<Index> conv(problem);
      if (problem.group_filters() < warp / 2) {
        launch(stream, "input gradient of few channels", one_thread_each(problem.x_size()),
               &input_gradient_by_threads<T, Index>, conv, static_cast<const T*>(kernel), static_cast<const T*>(dy),
               static_cast<T*>(dx));
        return;
      }
      constexpr unsigned warps = 8;
      LaunchShape shape = one_thread_each(problem.input_pixels() * problem.groups, warps);
      shape.block = dim3(warp, warps);
      launch(stream, "input gradient of few channels", shape, &input_gradient_by_warps<T, Index>, conv,
             static_cast<const T*>(kernel), static_cast<const T*>(dy), static_cast<T*>(dx));
    });
  });
}

}  // namespace rhyton::gpu
