#include <rhyton/framework/ops/batch_normalization.h>

#include <cmath>
#include <cstdint>

#include <rhyton/framework/backends/gpu/column_sums.h>
#include <rhyton/framework/backends/gpu/pack_access.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/stream.h>

namespace rhyton::gpu {
namespace {

// What is per channel has the type that elements are computed in.

/// The mean of some numbers, and the sum of their squared distances from it.
template <class Number>
struct Spread {
  Number count;
  Number mean;
  Number squares;
};

/// Of two groups of numbers those of both together (Chan, Golub and LeVeque 1979): what one walk over all of them would
/// lose by subtracting large squares from each other is not lost.
template <class Number>
struct SpreadKind {
  using Value = Spread<Number>;

  __host__ __device__ static Value neutral() { return Value{0, 0, 0}; }
  __host__ __device__ static Value join(const Value& a, const Value& b) {
    const Number count = a.count + b.count;
    if (count == 0) return a;
    const Number share = b.count / count;
    const Number distance = b.mean - a.mean;
    return Value{count, a.mean + distance * share, a.squares + b.squares + distance * distance * (a.count * share)};
  }
};

/// The elements of [rows, channels], each a group of its own: their distances from the first one of their channel, so
/// that little is rounded where a channel is far from zero.
template <class T>
struct Distances {
  using Number = Computed<T>;

  const T* x;
  bool has_rows;
  std::int64_t channels;
  bool aligned;

  template <int n>
  struct Column {
    const T* x;
    std::int64_t step;
    bool aligned;
    Number origin[n];

    __device__ void load(std::int64_t row, Spread<Number> (&values)[n]) const {
      const Pack<T, n> pack = load_pack<n>(x + row * step, aligned);
      for (int i = 0; i < n; ++i) values[i] = Spread<Number>{1, number(pack.values[i]) - origin[i], 0};
    }
  };

  template <int n>
  __device__ Column<n> at(std::int64_t, std::int64_t channel) const {
    Column<n> column{x + channel, channels, aligned, {}};
    if (!has_rows) return column;
    const Pack<T, n> first = load_pack<n>(column.x, aligned);
    for (int i = 0; i < n; ++i) column.origin[i] = number(first.values[i]);
    return column;
  }
};

template <class T>
struct MomentsTarget {
  using Number = Computed<T>;

  /// [rows, channels].
  const T* x;
  Number* mean;
  Number* variance;

  __device__ void store(std::int64_t, std::int64_t, std::int64_t channel, const Spread<Number>& spread) const {
    // Not a number where there are no rows.
    variance[channel] = spread.squares / spread.count;
    mean[channel] = spread.count == 0 ? variance[channel] : number(x[channel]) + spread.mean;
  }
};

/// dy and dy · (x - mean) of [rows, channels].
template <class T>
struct GradientTerms {
  using Number = Computed<T>;

  const T* dy;
  const T* x;
  const Number* mean;
  std::int64_t channels;
  bool aligned;

  template <int n>
  struct Column {
    const T* dy;
    const T* x;
    std::int64_t step;
    bool aligned;
    Number mean[n];

    __device__ void load(std::int64_t row, Sums<Number, 2> (&values)[n]) const {
      const Pack<T, n> gradients = load_pack<n>(dy + row * step, aligned);
      const Pack<T, n> pack = load_pack<n>(x + row * step, aligned);
      for (int i = 0; i < n; ++i) {
        const Number gradient = number(gradients.values[i]);
        values[i].of[0] = gradient;
        values[i].of[1] = gradient * (number(pack.values[i]) - mean[i]);
      }
    }
  };

  template <int n>
  __device__ Column<n> at(std::int64_t, std::int64_t channel) const {
    Column<n> column{dy + channel, x + channel, channels, aligned, {}};
    for (int i = 0; i < n; ++i) column.mean[i] = mean[channel + i];
    return column;
  }
};

/// So many channels a thread takes together.
template <class T>
constexpr int pack = pack_width<T> < 4 ? pack_width<T> : 4;

template <class T>
bool is_pack_aligned(const TensorView& view) {
  return is_aligned(view.data, pack<T> * sizeof(T));
}

template <class T>
ColumnPlan plan_for(const TensorSpec& x, const TensorSpec& channels) {
  const std::int64_t columns = channels.shape.size();
  return ColumnPlan(1, columns == 0 ? 0 : x.shape.size() / columns, columns, pack<T>);
}

template <class T>
void run_moments(const KernelArguments& arguments) {
  using Number = Computed<T>;
  const TensorView& x = arguments.inputs[0];
  const TensorView& mean = arguments.outputs[0];
  const TensorView& variance = arguments.outputs[1];
  reduce_columns<SpreadKind<Number>, pack<T>>(
      stream_of(arguments), "ChannelMoments", plan_for<T>(x.spec, mean.spec).cut(),
      Distances<T>{x.as<const T>(), x.size() > 0, mean.size(), is_pack_aligned<T>(x)},
      MomentsTarget<T>{x.as<const T>(), mean.as<Number>(), variance.as<Number>()}, arguments.workspace);
}

template <class T>
std::size_t moments_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs outputs) {
  return plan_for<T>(inputs[0], outputs[0]).cut().partial_results() * sizeof(Spread<Computed<T>>);
}

template <class T>
void run_sums(const KernelArguments& arguments) {
  const TensorView& dy = arguments.inputs[0];
  const TensorView& x = arguments.inputs[1];
  const TensorView& mean = arguments.inputs[2];
  const GradientTerms<T> source{dy.as<const T>(), x.as<const T>(), mean.as<const Computed<T>>(), mean.size(),
                                is_pack_aligned<T>(dy) && is_pack_aligned<T>(x)};
  const SumsTarget<Computed<T>, 2> target{
      {arguments.outputs[0].as<Computed<T>>(), arguments.outputs[1].as<Computed<T>>()}};
  reduce_columns<SumsKind<Computed<T>, 2>, pack<T>>(stream_of(arguments), "BatchNormalizationSums",
                                                    plan_for<T>(x.spec, mean.spec).cut(), source, target,
                                                    arguments.workspace);
}

template <class T>
std::size_t sums_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return plan_for<T>(inputs[1], inputs[2]).cut().partial_results() * sizeof(Sums<Computed<T>, 2>);
}

/// x · factor + offset for each channel of [rows, channels].
template <class T>
struct Normalization {
  using Number = Computed<T>;

  const T* x;
  const Number* mean;
  const Number* variance;
  const Number* gamma;
  const Number* beta;
  Number epsilon;
  bool aligned;

  template <int n>
  struct Line {
    const T* x;
    bool aligned;
    Number factor[n];
    Number offset[n];

    __device__ Pack<T, n> at(std::int64_t place) const {
      Pack<T, n> values = load_pack<n>(x + place, aligned);
      for (int i = 0; i < n; ++i) values.values[i] = element<T>(number(values.values[i]) * factor[i] + offset[i]);
      return values;
    }
  };

  template <int n>
  __device__ Line<n> of(std::int64_t channel) const {
    Line<n> line{x, aligned, {}, {}};
    for (int i = 0; i < n; ++i) {
      line.factor[i] = Number(1) / std::sqrt(variance[channel + i] + epsilon) * gamma[channel + i];
      line.offset[i] = beta[channel + i] - mean[channel + i] * line.factor[i];
    }
    return line;
  }
};

/// The line of `batch_normalization_input_gradient`.
template <class T>
struct InputGradient {
  using Number = Computed<T>;

  const T* dy;
  const T* x;
  const Number* mean;
  const Number* variance;
  const Number* gamma;
  const Number* sum;
  const Number* sum_with_distance;
  Number epsilon;
  Number count;
  bool aligned;

  template <int n>
  struct Line {
    const T* dy;
    const T* x;
    bool aligned;
    Number by_dy[n];
    Number by_x[n];
    Number constant[n];

    __device__ Pack<T, n> at(std::int64_t place) const {
      Pack<T, n> gradients = load_pack<n>(dy + place, aligned);
      const Pack<T, n> values = load_pack<n>(x + place, aligned);
      for (int i = 0; i < n; ++i) {
        gradients.values[i] =
            element<T>(number(gradients.values[i]) * by_dy[i] + (number(values.values[i]) * by_x[i] + constant[i]));
      }
      return gradients;
    }
  };

  template <int n>
  __device__ Line<n> of(std::int64_t channel) const {
    Line<n> line{dy, x, aligned, {}, {}, {}};
    for (int i = 0; i < n; ++i) {
      const Number r = Number(1) / std::sqrt(variance[channel + i] + epsilon);
      line.by_dy[i] = gamma[channel + i] * r;
      line.by_x[i] = -(line.by_dy[i] * r * r * sum_with_distance[channel + i] / count);
      line.constant[i] = -(line.by_dy[i] * sum[channel + i] / count + line.by_x[i] * mean[channel + i]);
    }
    return line;
  }
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
  for (std::int64_t row = blockIdx.x / plan.tiles * rows_per_block + thread / plan.lanes; row < plan.rows;
       row += step) {
    const std::int64_t place = row * plan.columns + channel;
    store_pack<n>(y + place, line.at(place), lines.aligned);
  }
}

template <class T, class Lines>
void launch_lines(const KernelArguments& arguments, const ColumnPlan& plan, const Lines& lines) {
  // So many blocks that all multiprocessors are busy, and each thread takes a few rows with the lines it has made.
  constexpr std::int64_t enough_blocks = 132 * 8;
  constexpr std::int64_t rows_per_thread = 4;
  const std::int64_t rows_per_block = rows_per_thread * (ColumnPlan::threads / plan.lanes);
  const std::int64_t row_blocks = std::clamp<std::int64_t>((plan.rows + rows_per_block - 1) / rows_per_block, 1,
                                                           std::max<std::int64_t>(enough_blocks / plan.tiles, 1));
  const LaunchShape shape{dim3(static_cast<unsigned>(row_blocks * plan.tiles)), dim3(ColumnPlan::threads)};
  const auto kernel = plan.pack == pack<T> ? &write_lines<T, pack<T>, Lines> : &write_lines<T, 1, Lines>;
  launch(stream_of(arguments), arguments.op->name().data(), shape, kernel, plan, lines, arguments.outputs[0].as<T>());
}

template <class T>
void run_normalization(const KernelArguments& arguments) {
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  const auto channels = [&](std::size_t i) { return arguments.inputs[i].as<const Computed<T>>(); };
  const auto& op = arguments.attributes<BatchNormalizationOp>();
  launch_lines<T>(
      arguments, plan_for<T>(x.spec, arguments.inputs[1].spec),
      Normalization<T>{x.as<const T>(), channels(1), channels(2), channels(3), channels(4),
                       static_cast<Computed<T>>(op.epsilon), is_pack_aligned<T>(x) && is_pack_aligned<T>(y)});
}

template <class T>
void run_input_gradient(const KernelArguments& arguments) {
  const TensorView& dy = arguments.inputs[0];
  const TensorView& x = arguments.inputs[1];
  const TensorView& dx = arguments.outputs[0];
  if (dx.size() == 0) return;
  const auto channels = [&](std::size_t i) { return arguments.inputs[i].as<const Computed<T>>(); };
  const auto& op = arguments.attributes<BatchNormalizationInputGradientOp>();
  launch_lines<T>(
      arguments, plan_for<T>(x.spec, arguments.inputs[2].spec),
      InputGradient<T>{dy.as<const T>(), x.as<const T>(), channels(2), channels(3), channels(4), channels(5),
                       channels(6), static_cast<Computed<T>>(op.epsilon), static_cast<Computed<T>>(op.count),
                       is_pack_aligned<T>(dy) && is_pack_aligned<T>(x) && is_pack_aligned<T>(dx)});
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("ChannelMoments", dtype_of<T>, {.run = &run_moments<T>, .workspace_bytes = &moments_workspace<T>}), ...);
  (table.add("BatchNormalizationSums", dtype_of<T>, {.run = &run_sums<T>, .workspace_bytes = &sums_workspace<T>}), ...);
  (table.add("BatchNormalization", dtype_of<T>, {.run = &run_normalization<T>}), ...);
  (table.add("BatchNormalizationInputGradient", dtype_of<T>, {.run = &run_input_gradient<T>}), ...);
}

}  // namespace

void register_batch_normalization_kernels(KernelTable& table) { add_all<float, double, Half, BFloat16>(table); }

}  // namespace rhyton::gpu
