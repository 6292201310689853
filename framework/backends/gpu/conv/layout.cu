#include <rhyton/framework/backends/gpu/conv/layout.h>

#include <rhyton/framework/backends/gpu/conv/dtype.h>
#include <rhyton/framework/backends/gpu/conv/geometry.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>

namespace rhyton::gpu {
namespace {

/// Lines are rows of one image, in units.
template <class Unit, class Index>
__global__ void pad(const Unit* source, Index rows, Index line, Index padded_rows, Index padded_line, Index count,
                    Unit* target) {
  for_each_index(count, [&](std::int64_t index) {
    const auto i = static_cast<Index>(index);
    const Index padded_row = i / padded_line;
    const Index column = i % padded_line;
    const Index image = padded_row / padded_rows;
    const Index row = padded_row % padded_rows;
    target[i] = row < rows && column < line ? source[(image * rows + row) * line + column] : Unit{};
  });
}

template <class Unit, class Index>
__global__ void crop(const Unit* source, Index rows, Index line, Index padded_rows, Index padded_line, Index count,
                     Unit* target) {
  for_each_index(count, [&](std::int64_t index) {
    const auto i = static_cast<Index>(index);
    const Index row = i / line;
    target[i] = source[(row / rows * padded_rows + row % rows) * padded_line + i % line];
  });
}

template <class T>
__global__ void bias_and_activation(T* y, const T* bias, std::int64_t filters, bool relu, std::int64_t count) {
  const auto step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  // The filter is updated incrementally, so that there is one slow division per thread.
  std::int64_t filter = first % filters;
  const std::int64_t filter_step = step % filters;
  for (std::int64_t i = first; i < count; i += step) {
    Computed<T> value = number(y[i]);
    if (bias != nullptr) value += number(bias[filter]);
    if (relu && value < Computed<T>(0)) value = 0;
    y[i] = element<T>(value);
    filter += filter_step;
    if (filter >= filters) filter -= filters;
  }
}

constexpr int tile = 32;
constexpr int sum_lanes = 16;

template <class T>
__global__ void sum_of_splits(const Computed<T>* partial, std::int64_t splits, std::int64_t size, T* target) {
  __shared__ Computed<T> sums[sum_lanes][tile];
  for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * tile; first < size;
       first += static_cast<std::int64_t>(gridDim.x) * tile) {
    const std::int64_t place = first + threadIdx.x;
    Computed<T> sum = 0;
    if (place < size) {
      for (std::int64_t split = threadIdx.y; split < splits; split += sum_lanes) sum += partial[split * size + place];
    }
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && place < size) {
      for (int lane = 1; lane < sum_lanes; ++lane) sum += sums[lane][threadIdx.x];
      target[place] = element<T>(sum);
    }
    __syncthreads();
  }
}

/// Calls `function` with a unit of copying: as long as possible, but no longer than the channels of one pixel.
template <class Function>
void with_unit(const ConvolutionProblem& problem, const Function& function) {
  const std::int64_t element_bytes = static_cast<std::int64_t>(size_of(problem.dtype));
  if (problem.channels * element_bytes % 16 == 0) return function(uint4{});
  if (element_bytes == 8) return function(std::uint64_t{});
  if (element_bytes == 4) return function(std::uint32_t{});
  function(std::uint16_t{});
}

}  // namespace

void pad_images(GpuStream& stream, const ConvolutionProblem& problem, const ConvolutionProblem& padded,
                const void* source, void* target) {
  with_unit(problem, [&](auto unit) {
    using Unit = decltype(unit);
    with_conv_index(padded, [&](auto index) {
      using Index = decltype(index);
      const std::int64_t units = problem.channels * static_cast<std::int64_t>(size_of(problem.dtype)) /
                                 static_cast<std::int64_t>(sizeof(Unit));
      const std::int64_t count = padded.input_pixels() * units;
      launch(stream, "padding of images", one_thread_each(count), &pad<Unit, Index>, static_cast<const Unit*>(source),
             static_cast<Index>(problem.input[0]), static_cast<Index>(problem.input[1] * units),
             static_cast<Index>(padded.input[0]), static_cast<Index>(padded.input[1] * units),
             static_cast<Index>(count), static_cast<Unit*>(target));
    });
  });
}

void crop_images(GpuStream& stream, const ConvolutionProblem& problem, const ConvolutionProblem& padded,
                 const void* source, void* target) {
  with_unit(problem, [&](auto unit) {
    using Unit = decltype(unit);
    with_conv_index(padded, [&](auto index) {
      using Index = decltype(index);
      const std::int64_t units = problem.channels * static_cast<std::int64_t>(size_of(problem.dtype)) /
                                 static_cast<std::int64_t>(sizeof(Unit));
      const std::int64_t count = problem.input_pixels() * units;
      launch(stream, "cropping of images", one_thread_each(count), &crop<Unit, Index>, static_cast<const Unit*>(source),
             static_cast<Index>(problem.input[0]), static_cast<Index>(problem.input[1] * units),
             static_cast<Index>(padded.input[0]), static_cast<Index>(padded.input[1] * units),
             static_cast<Index>(count), static_cast<Unit*>(target));
    });
  });
}

void add_bias_and_activate(GpuStream& stream, const ConvolutionProblem& problem, void* y, const void* bias, bool relu) {
  with_floating_dtype(problem.dtype, [&](auto type) {
    using T = decltype(type);
    launch(stream, "bias and activation", one_thread_each(problem.y_size()), &bias_and_activation<T>,
           static_cast<T*>(y), static_cast<const T*>(bias), problem.filters, relu, problem.y_size());
  });
}

void sum_splits(GpuStream& stream, DType dtype, const void* partial, std::int64_t splits, std::int64_t size,
                void* target) {
  LaunchShape shape = one_block_each((size + tile - 1) / tile);
  shape.block = dim3(tile, sum_lanes);
  with_floating_dtype(dtype, [&](auto type) {
    using T = decltype(type);
    launch(stream, "sum of a kernel's gradient", shape, &sum_of_splits<T>, static_cast<const Computed<T>*>(partial),
           splits, size, static_cast<T*>(target));
  });
}

}  // namespace rhyton::gpu
