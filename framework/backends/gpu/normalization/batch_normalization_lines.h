#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/primitives/pack_access.h>
#include <rhyton/framework/backends/gpu/reduce/column_reduction.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

// Code shared by the kernels of batch normalisation. Values per channel have the type that elements are computed in.

namespace rhyton::gpu {

/// The number of channels that a thread processes together.
template <class T>
inline constexpr int channel_pack = pack_width<T> < 4 ? pack_width<T> : 4;

template <class T>
bool is_pack_aligned(const TensorView& view) {
  return is_aligned(view.data, channel_pack<T> * sizeof(T));
}

template <class T>
ColumnPlan channel_plan(const TensorSpec& x, const TensorSpec& channels, int widest = channel_pack<T>) {
  const std::int64_t columns = channels.shape.size();
  return ColumnPlan(1, columns == 0 ? 0 : x.shape.size() / columns, columns, widest);
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

  __device__ Number inverse_deviation(Number channel_variance) const {
    return Number(1) / std::sqrt(channel_variance + epsilon);
  }
};

/// The parameters of n neighbouring channels. All loads should precede all computations.
template <int n, class Number>
__device__ inline Pack<Number, n> load_channels(const Number* of_all, std::int64_t channel) {
  Pack<Number, n> values;
  for (int i = 0; i < n; ++i) values.values[i] = of_all[channel + i];
  return values;
}

/// The normalisation of n neighbouring channels: a linear function of x. All kernels compute the same bits, so that
/// gradients find the same sign for ReLU as the forward pass.
template <class T, int n>
struct NormalizationLine {
  using Number = Computed<T>;

  Number factor[n];
  Number offset[n];

  __device__ static NormalizationLine of(const ChannelParameters<Number>& channels, std::int64_t channel) {
    const auto mean = load_channels<n>(channels.mean, channel);
    const auto variance = load_channels<n>(channels.variance, channel);
    const auto gamma = load_channels<n>(channels.gamma, channel);
    const auto beta = load_channels<n>(channels.beta, channel);
    NormalizationLine line;
    for (int i = 0; i < n; ++i) {
      line.factor[i] = channels.inverse_deviation(variance.values[i]) * gamma.values[i];
      line.offset[i] = std::fma(-mean.values[i], line.factor[i], beta.values[i]);
    }
    return line;
  }
  __device__ T at(int i, T x) const { return element<T>(std::fma(number(x), factor[i], offset[i])); }
};

/// Blocks of `write_lines` per multiprocessor, whose threads may then have 48 registers each.
inline constexpr int blocks_of_lines = 5;

/// Each thread keeps the linear functions of n channels and iterates over rows. y may overwrite the inputs. Packs of n
/// elements are aligned.
template <class T, int n, class Lines>
__global__ void __launch_bounds__(ColumnPlan::threads, blocks_of_lines)
    write_lines(ColumnPlan plan, Lines lines, T* y) {
  const auto tiles = static_cast<unsigned>(plan.tiles);
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t channel = (static_cast<std::int64_t>(blockIdx.x % tiles) * plan.lanes + thread % plan.lanes) * n;
  if (channel >= plan.columns) return;
  const auto line = lines.template of<n>(channel);
  const int rows_per_block = ColumnPlan::threads / plan.lanes;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x / tiles) * rows_per_block;
  std::int64_t row = static_cast<std::int64_t>(blockIdx.x / tiles) * rows_per_block + thread / plan.lanes;
  const auto place = [&](std::int64_t of_row) { return of_row * plan.columns + channel; };
  // Loads for two rows precede the stores of either, so that loads do not wait for each other.
  for (; row + step < plan.rows; row += 2 * step) {
    const auto first = line.load(place(row));
    const auto second = line.load(place(row + step));
    store_whole(y + place(row), line.at(first));
    store_whole(y + place(row + step), line.at(second));
  }
  if (row < plan.rows) store_whole(y + place(row), line.at(line.load(place(row))));
}

/// Lines: `of<n>(channel)` returns an object for n neighbouring channels whose load(place) reads the inputs of the
/// elements from there on, and whose at(that) computes them. `aligned`: whether packs may be read and written.
template <class T, class Lines>
void launch_lines(const KernelArguments& arguments, const TensorSpec& x, const TensorSpec& channels, bool aligned,
                  const Lines& lines) {
  constexpr int maximum = channel_pack<T>;
  const ColumnPlan plan = channel_plan<T>(x, channels, aligned ? maximum : 1);
  // Enough blocks for all multiprocessors, with a few rows per thread for the parameters it has loaded.
  constexpr std::int64_t enough_blocks = 132 * blocks_of_lines;
  constexpr std::int64_t rows_per_thread = 4;
  const std::int64_t rows_per_block = rows_per_thread * (ColumnPlan::threads / plan.lanes);
  const std::int64_t row_blocks = std::clamp<std::int64_t>((plan.rows + rows_per_block - 1) / rows_per_block, 1,
                                                           std::max<std::int64_t>(enough_blocks / plan.tiles, 1));
  const LaunchShape shape{dim3(static_cast<unsigned>(row_blocks * plan.tiles)), dim3(ColumnPlan::threads)};
  const auto kernel = plan.pack == maximum ? &write_lines<T, maximum, Lines> : &write_lines<T, 1, Lines>;
  launch(stream_of(arguments), arguments.op->name().data(), shape, kernel, plan, lines, arguments.outputs[0].as<T>());
}

}  // namespace rhyton::gpu
