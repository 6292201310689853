#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <rhyton/framework/backends/gpu/column_reduction.h>
#include <rhyton/framework/backends/gpu/launch.h>
#include <rhyton/framework/backends/gpu/numbers.h>
#include <rhyton/framework/backends/gpu/pack_access.h>
#include <rhyton/framework/backends/gpu/stream.h>

// What the kernels of batch normalisation share. What is per channel has the type that elements are computed in.

namespace rhyton::gpu {

/// So many channels a thread takes together.
template <class T>
inline constexpr int channel_pack = pack_width<T> < 4 ? pack_width<T> : 4;

template <class T>
bool is_pack_aligned(const TensorView& view) {
  return is_aligned(view.data, channel_pack<T> * sizeof(T));
}

template <class T>
ColumnPlan channel_plan(const TensorSpec& x, const TensorSpec& channels) {
  const std::int64_t columns = channels.shape.size();
  return ColumnPlan(1, columns == 0 ? 0 : x.shape.size() / columns, columns, channel_pack<T>);
}

/// Mean, variance, gamma and beta of each channel.
template <class Number>
struct ChannelParameters {
  const Number* mean;
  const Number* variance;
  const Number* gamma;
  const Number* beta;
  Number epsilon;

  /// The inputs from `first` on.
  static ChannelParameters of(const KernelArguments& arguments, std::size_t first, double epsilon) {
    const auto input = [&](std::size_t i) { return arguments.inputs[first + i].as<const Number>(); };
    return {input(0), input(1), input(2), input(3), static_cast<Number>(epsilon)};
  }

  __device__ Number inverse_deviation(std::int64_t channel) const {
    return Number(1) / std::sqrt(variance[channel] + epsilon);
  }
};

/// The normalisation of n neighbouring channels: a line in x. All kernels have the same bits of it, so that gradients
/// find ReLU where the forward pass did.
template <class T, int n>
struct NormalizationLine {
  using Number = Computed<T>;

  Number factor[n];
  Number offset[n];

  __device__ static NormalizationLine of(const ChannelParameters<Number>& channels, std::int64_t channel) {
    NormalizationLine line;
    for (int i = 0; i < n; ++i) {
      line.factor[i] = channels.inverse_deviation(channel + i) * channels.gamma[channel + i];
      line.offset[i] = std::fma(-channels.mean[channel + i], line.factor[i], channels.beta[channel + i]);
    }
    return line;
  }
  __device__ T at(int i, T x) const { return element<T>(std::fma(number(x), factor[i], offset[i])); }
};

/// Each thread keeps the lines of n channels and walks over rows. y may lie over what is read.
template <class T, int n, class Lines>
__global__ void __launch_bounds__(ColumnPlan::threads) write_lines(ColumnPlan plan, Lines lines, T* y) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t channel = (blockIdx.x % plan.tiles * plan.lanes + thread % plan.lanes) * n;
  if (channel >= plan.columns) return;
  const auto line = lines.template of<n>(channel);
  const std::int64_t rows_per_block = ColumnPlan::threads / plan.lanes;
  const std::int64_t step = gridDim.x / plan.tiles * rows_per_block;
  std::int64_t row = blockIdx.x / plan.tiles * rows_per_block + thread / plan.lanes;
  const auto place = [&](std::int64_t of_row) { return of_row * plan.columns + channel; };
  // Two rows are read before one is written, so that loads do not wait for each other.
  for (; row + step < plan.rows; row += 2 * step) {
    const Pack<T, n> first = line.at(place(row));
    const Pack<T, n> second = line.at(place(row + step));
    store_pack<n>(y + place(row), first, lines.aligned);
    store_pack<n>(y + place(row + step), second, lines.aligned);
  }
  if (row < plan.rows) store_pack<n>(y + place(row), line.at(place(row)), lines.aligned);
}

/// Lines: `aligned`, whether packs may be read and written, and `of<n>(channel)`, which gives an object for n
/// neighbouring channels whose at(place) gives what belongs to the elements from there on.
template <class T, class Lines>
void launch_lines(const KernelArguments& arguments, const ColumnPlan& plan, const Lines& lines) {
  // So many blocks that all multiprocessors are busy, and each thread takes a few rows with the lines it has made.
  constexpr std::int64_t enough_blocks = 132 * 8;
  constexpr std::int64_t rows_per_thread = 4;
  const std::int64_t rows_per_block = rows_per_thread * (ColumnPlan::threads / plan.lanes);
  const std::int64_t row_blocks = std::clamp<std::int64_t>((plan.rows + rows_per_block - 1) / rows_per_block, 1,
                                                           std::max<std::int64_t>(enough_blocks / plan.tiles, 1));
  const LaunchShape shape{dim3(static_cast<unsigned>(row_blocks * plan.tiles)), dim3(ColumnPlan::threads)};
  constexpr int most = channel_pack<T>;
  const auto kernel = plan.pack == most ? &write_lines<T, most, Lines> : &write_lines<T, 1, Lines>;
  launch(stream_of(arguments), arguments.op->name().data(), shape, kernel, plan, lines, arguments.outputs[0].as<T>());
}

}  // namespace rhyton::gpu
