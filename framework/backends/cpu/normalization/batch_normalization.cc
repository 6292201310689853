#include <rhyton/framework/ops/batch_normalization.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <rhyton/framework/backends/cpu/primitives/vector_part.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

/// Sums over the rows of [rows, channels], `count` of them at once: add(at, channel, how_many, sums) adds the terms of
/// the elements from `at` on, which belong to the channels from `channel` on. Short sums are added up to long ones,
/// which keeps the rounding error small.
template <class T, int count, class Add>
void sum_rows(std::int64_t rows, std::int64_t channels, const std::array<T*, count>& totals, bool accumulate,
              const Add& add) {
  constexpr std::int64_t block = 256;
  constexpr int side_by_side = 4;
  for (std::int64_t channel = 0; channel < channels; channel += vector_length<T>) {
    const int width = static_cast<int>(std::min<std::int64_t>(vector_length<T>, channels - channel));
    Vector<T> total[count] = {};
    for (std::int64_t first = 0; first < rows; first += block) {
      const std::int64_t last = std::min(rows, first + block);
      Vector<T> sums[side_by_side][count] = {};
      std::int64_t row = first;
      for (; row + side_by_side <= last; row += side_by_side) {
        repeat<side_by_side>([&](auto k) __attribute__((always_inline)) {
          add((row + k) * channels + channel, channel, width, sums[k]);
        });
      }
      for (; row < last; ++row) add(row * channels + channel, channel, width, sums[0]);
      for (int i = 0; i < count; ++i) total[i] += (sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i]);
    }
    for (int i = 0; i < count; ++i) {
      T* const to = totals[static_cast<std::size_t>(i)] + channel;
      for (int lane = 0; lane < width; ++lane) to[lane] = (accumulate ? to[lane] : T()) + total[i][lane];
    }
  }
}

/// The sums of (x - mean)² over the rows of [rows, channels].
template <class T>
void sum_squared_deviations(std::int64_t rows, std::int64_t channels, const T* x, const T* mean, T* totals,
                            bool accumulate) {
  sum_rows<T, 1>(
      rows, channels, {totals}, accumulate,
      [&](std::int64_t at, std::int64_t channel, int width, Vector<T>(&sums)[1]) __attribute__((always_inline)) {
        const Vector<T> value = load_some<T>(x + at, width) - load_some<T>(mean + channel, width);
        sums[0] += value * value;
      });
}

template <class T>
void run_squared_deviation(const KernelArguments& arguments) {
  const std::int64_t channels = arguments.outputs[0].size();
  if (channels == 0) return;
  sum_squared_deviations(arguments.inputs[0].size() / channels, channels, arguments.inputs[0].as<const T>(),
                         arguments.inputs[1].as<const T>(), arguments.outputs[0].as<T>(), arguments.accumulate);
}

template <class T>
void run_moments(const KernelArguments& arguments) {
  const T* const x = arguments.inputs[0].as<const T>();
  T* const mean = arguments.outputs[0].as<T>();
  T* const variance = arguments.outputs[1].as<T>();
  const std::int64_t channels = arguments.outputs[0].size();
  if (channels == 0) return;
  const std::int64_t rows = arguments.inputs[0].size() / channels;
  sum_rows<T, 1>(
      rows, channels, {mean},
      false, [&](std::int64_t at, std::int64_t, int width, Vector<T>(&sums)[1]) __attribute__((always_inline)) {
        sums[0] += load_some<T>(x + at, width);
      });
  for (std::int64_t channel = 0; channel < channels; ++channel) mean[channel] /= static_cast<T>(rows);
  sum_squared_deviations(rows, channels, x, mean, variance, false);
  for (std::int64_t channel = 0; channel < channels; ++channel) variance[channel] /= static_cast<T>(rows);
}

template <class T>
void run_sums(const KernelArguments& arguments) {
  const T* const dy = arguments.inputs[0].as<T>();
  const T* const x = arguments.inputs[1].as<T>();
  const T* const mean = arguments.inputs[2].as<T>();
  const std::int64_t channels = arguments.outputs[0].size();
  if (channels == 0) return;
  sum_rows<T, 2>(
      arguments.inputs[0].size() / channels, channels, {arguments.outputs[0].as<T>(), arguments.outputs[1].as<T>()},
      arguments.accumulate,
      [&](std::int64_t at, std::int64_t channel, int width, Vector<T>(&sums)[2]) __attribute__((always_inline)) {
        const Vector<T> gradient = load_some<T>(dy + at, width);
        sums[0] += gradient;
        sums[1] += gradient * (load_some<T>(x + at, width) - load_some<T>(mean + channel, width));
      });
}

template <class T>
void run_normalization(const KernelArguments& arguments) {
  const T* const x = arguments.inputs[0].as<T>();
  T* const y = arguments.outputs[0].as<T>();
  const std::int64_t channels = arguments.inputs[1].size();
  if (channels == 0) return;
  const std::int64_t rows = arguments.outputs[0].size() / channels;
  T* const factor = static_cast<T*>(arguments.workspace);
  T* const offset = factor + channels;
  const T epsilon = static_cast<T>(arguments.attributes<BatchNormalizationOp>().epsilon);
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const auto input = [&](std::size_t i) { return arguments.inputs[i].as<T>()[channel]; };
    factor[channel] = T(1) / std::sqrt(input(2) + epsilon) * input(3);
    offset[channel] = input(4) - input(1) * factor[channel];
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* const from = x + row * channels;
    T* const to = y + row * channels;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      to[channel] = from[channel] * factor[channel] + offset[channel];
    }
  }
}

/// The same linear function of dy and x as `batch_normalization_input_gradient`.
template <class T>
void run_input_gradient(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<BatchNormalizationInputGradientOp>();
  const T* const dy = arguments.inputs[0].as<T>();
  const T* const x = arguments.inputs[1].as<T>();
  T* const dx = arguments.outputs[0].as<T>();
  const std::int64_t channels = arguments.inputs[2].size();
  if (channels == 0) return;
  const std::int64_t rows = arguments.outputs[0].size() / channels;
  T* const by_dy = static_cast<T*>(arguments.workspace);
  T* const by_x = by_dy + channels;
  T* const constant = by_x + channels;
  const T epsilon = static_cast<T>(op.epsilon);
  const T count = static_cast<T>(op.count);
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const auto input = [&](std::size_t i) { return arguments.inputs[i].as<T>()[channel]; };
    const T r = T(1) / std::sqrt(input(3) + epsilon);
    by_dy[channel] = input(4) * r;
    by_x[channel] = -(by_dy[channel] * r * r * input(6) / count);
    constant[channel] = -(by_dy[channel] * input(5) / count + by_x[channel] * input(2));
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first = row * channels;
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      const std::int64_t at = first + channel;
      dx[at] = dy[at] * by_dy[channel] + (x[at] * by_x[channel] + constant[channel]);
    }
  }
}

template <class T>
std::size_t input_gradient_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return 3 * inputs[2].bytes();
}

template <class T>
std::size_t normalization_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return 2 * inputs[1].bytes();
}

template <class T>
void register_for(KernelTable& table) {
  table.add("ChannelMoments", dtype_of<T>, {.run = &run_moments<T>});
  table.add("SquaredDeviation", dtype_of<T>, {.run = &run_squared_deviation<T>});
  table.add("BatchNormalizationSums", dtype_of<T>, {.run = &run_sums<T>});
  table.add("BatchNormalization", dtype_of<T>,
            {.run = &run_normalization<T>, .workspace_bytes = &normalization_workspace<T>});
  table.add("BatchNormalizationInputGradient", dtype_of<T>,
            {.run = &run_input_gradient<T>, .workspace_bytes = &input_gradient_workspace<T>});
}

}  // namespace

void register_batch_normalization_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
