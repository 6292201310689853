#include <rhyton/framework/ops/batch_normalization.h>

#include <cstdint>

#include <rhyton/framework/backends/elementwise/activations.h>
#include <rhyton/framework/backends/elementwise/binary.h>
#include <rhyton/framework/backends/gpu/normalization/batch_normalization_lines.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/ops/fused_batch_normalization.h>

namespace rhyton::gpu {
namespace {

/// The mean of some numbers, and the sum of their squared distances from it.
template <class Number>
struct Spread {
  Number count;
  Number mean;
  Number squares;
};

/// Combines two groups of numbers (Chan, Golub and LeVeque 1979): avoids the loss of precision of one pass over all of
/// them, which would subtract large squares from each other.
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

  /// Four at once: numbers that are groups of their own need no division.
  __host__ __device__ static Value join_four(const Value (&a)[4]) {
    if (a[0].count != 1 || a[1].count != 1 || a[2].count != 1 || a[3].count != 1) {
      return join(join(a[0], a[1]), join(a[2], a[3]));
    }
    const Number mean = ((a[0].mean + a[1].mean) + (a[2].mean + a[3].mean)) * Number(0.25);
    Number squares = 0;
    for (int i = 0; i < 4; ++i) squares += (a[i].mean - mean) * (a[i].mean - mean) + a[i].squares;
    return Value{4, mean, squares};
  }
};

/// The elements of [rows, channels], each a group of its own: their distances from the first one of their channel, so
/// that rounding errors are small where a channel is far from zero.
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
    if (has_rows) {
      const Pack<T, n> first = load_pack<n>(x + channel, aligned);
      for (int i = 0; i < n; ++i) column.origin[i] = number(first.values[i]);
    }
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

  __device__ void store(std::int64_t, std::int64_t channel, const Spread<Number>& spread) const {
    // NaN if there are no rows.
    variance[channel] = spread.squares / spread.count;
    mean[channel] = spread.count == 0 ? variance[channel] : number(x[channel]) + spread.mean;
  }
};

template <class T>
void run_moments(const KernelArguments& arguments) {
  using Number = Computed<T>;
  const TensorView& x = arguments.inputs[0];
  const TensorView& mean = arguments.outputs[0];
  const TensorView& variance = arguments.outputs[1];
  reduce_columns<SpreadKind<Number>, channel_pack<T>>(
      stream_of(arguments), "ChannelMoments", channel_plan<T>(x.spec, mean.spec).cut(),
      Distances<T>{x.as<const T>(), x.size() > 0, mean.size(), is_pack_aligned<T>(x)},
      MomentsTarget<T>{x.as<const T>(), mean.as<Number>(), variance.as<Number>()}, arguments.workspace);
}

template <class T>
std::size_t moments_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs outputs) {
  return channel_plan<T>(inputs[0], outputs[0]).cut().partial_results() * sizeof(Spread<Computed<T>>);
}

/// Normalises rows of [rows, channels], and applies the ops after it.
template <class T, bool has_side_input, bool has_relu>
struct Normalization {
  const T* x;
  const T* side_input;
  ChannelParameters<Computed<T>> channels;

  template <int n>
  struct Loaded {
    Pack<T, n> x;
    Pack<T, n> side_input;
  };

  template <int n>
  struct Line {
    const T* x;
    const T* side_input;
    NormalizationLine<T, n> line;

    __device__ Loaded<n> load(std::int64_t place) const {
      Loaded<n> loaded;
      loaded.x = load_whole<n>(x + place);
      if constexpr (has_side_input) loaded.side_input = load_whole<n>(side_input + place);
      return loaded;
    }
    __device__ Pack<T, n> at(const Loaded<n>& loaded) const {
      Pack<T, n> values;
      for (int i = 0; i < n; ++i) {
        T& value = values.values[i];
        value = line.at(i, loaded.x.values[i]);
        if constexpr (has_side_input)
          value = element<T>(elementwise::Add()(number(value), number(loaded.side_input.values[i])));
        if constexpr (has_relu) value = element<T>(elementwise::Relu()(number(value)));
      }
      return values;
    }
  };

  template <int n>
  __device__ Line<n> of(std::int64_t channel) const {
    return {x, side_input, NormalizationLine<T, n>::of(channels, channel)};
  }
};

template <class T, bool has_side_input, bool has_relu>
void normalize(const KernelArguments& arguments, double epsilon) {
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  const TensorView& side_input = has_side_input ? arguments.inputs[5] : x;
  const bool aligned = is_pack_aligned<T>(x) && is_pack_aligned<T>(y) && is_pack_aligned<T>(side_input);
  launch_lines<T>(
      arguments, x.spec, arguments.inputs[1].spec, aligned,
      Normalization<T, has_side_input, has_relu>{x.as<const T>(), side_input.as<const T>(),
                                                 ChannelParameters<Computed<T>>::of(arguments, 1, epsilon)});
}

template <class T>
void run_normalization(const KernelArguments& arguments) {
  normalize<T, false, false>(arguments, arguments.attributes<BatchNormalizationOp>().epsilon);
}

template <class T>
void run_fused_normalization(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<FusedBatchNormalizationOp>();
  const bool has_side_input = arguments.inputs.size() > 5;
  const bool has_relu = op.activation == Epilogue::relu;
  const auto run = has_side_input ? (has_relu ? &normalize<T, true, true> : &normalize<T, true, false>)
                                  : (has_relu ? &normalize<T, false, true> : &normalize<T, false, false>);
  run(arguments, op.epsilon);
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("ChannelMoments", dtype_of<T>, {.run = &run_moments<T>, .workspace_bytes = &moments_workspace<T>}), ...);
  (table.add("BatchNormalization", dtype_of<T>, {.run = &run_normalization<T>}), ...);
  (table.add("FusedBatchNormalization", dtype_of<T>, {.run = &run_fused_normalization<T>}), ...);
}

}  // namespace

void register_batch_normalization_kernels(KernelTable& table) { add_all<float, double, Half, BFloat16>(table); }

}  // namespace rhyton::gpu
