#include <cstdint>

#include <rhyton/framework/backends/elementwise/activations.h>
#include <rhyton/framework/backends/gpu/normalization/batch_normalization_lines.h>
#include <rhyton/framework/backends/gpu/reduce/column_sums.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/fused_batch_normalization.h>

namespace rhyton::gpu {
namespace {

// How the gradient of the normalised values is computed from dy and x.

/// It is dy.
template <class T>
struct Unmasked {
  template <int n>
  struct Line {
    __device__ Computed<T> gradient(int, T dy, T) const { return number(dy); }
  };
  template <int n>
  static __device__ Line<n> of(const ChannelParameters<Computed<T>>&, std::int64_t) {
    return {};
  }
};

/// It is dy where ReLU of the normalised x is positive.
template <class T>
struct MaskedByRelu {
  template <int n>
  struct Line {
    NormalizationLine<T, n> line;

    __device__ Computed<T> gradient(int i, T dy, T x) const {
      return elementwise::ReluGrad()(number(dy), number(line.at(i, x)));
    }
  };
  template <int n>
  static __device__ Line<n> of(const ChannelParameters<Computed<T>>& channels, std::int64_t channel) {
    return {NormalizationLine<T, n>::of(channels, channel)};
  }
};

/// The gradient and its product with x - mean, of [rows, channels].
template <class T, class Mask>
struct GradientTerms {
  using Number = Computed<T>;

  const T* dy;
  const T* x;
  ChannelParameters<Number> parameters;
  std::int64_t channels;
  bool aligned;

  template <int n>
  struct Column {
    const T* dy;
    const T* x;
    std::int64_t step;
    bool aligned;
    typename Mask::template Line<n> mask;
    Pack<Number, n> mean;

    __device__ void load(std::int64_t row, Sums<Number, 2> (&values)[n]) const {
      const Pack<T, n> gradients = load_pack<n>(dy + row * step, aligned);
      const Pack<T, n> pack = load_pack<n>(x + row * step, aligned);
      for (int i = 0; i < n; ++i) {
        const Number gradient = mask.gradient(i, gradients.values[i], pack.values[i]);
        values[i].of[0] = gradient;
        values[i].of[1] = gradient * (number(pack.values[i]) - mean.values[i]);
      }
    }
  };

  template <int n>
  __device__ Column<n> at(std::int64_t, std::int64_t channel) const {
    return {dy + channel,
            x + channel,
            channels,
            aligned,
            Mask::template of<n>(parameters, channel),
            load_channels<n>(parameters.mean, channel)};
  }
};

template <class T, class Mask>
void sum_gradients(const KernelArguments& arguments, const ChannelParameters<Computed<T>>& parameters) {
  const TensorView& dy = arguments.inputs[0];
  const TensorView& x = arguments.inputs[1];
  const TensorView& mean = arguments.inputs[2];
  const GradientTerms<T, Mask> source{dy.as<const T>(), x.as<const T>(), parameters, mean.size(),
                                      is_pack_aligned<T>(dy) && is_pack_aligned<T>(x)};
  const SumsTarget<Computed<T>, 2> target{
      {arguments.outputs[0].as<Computed<T>>(), arguments.outputs[1].as<Computed<T>>()}};
  reduce_columns<SumsKind<Computed<T>, 2>, channel_pack<T>>(stream_of(arguments), arguments.op->name().data(),
                                                            channel_plan<T>(x.spec, mean.spec).cut(), source, target,
                                                            arguments.workspace);
}

template <class T>
void run_sums(const KernelArguments& arguments) {
  using Number = Computed<T>;
  sum_gradients<T, Unmasked<T>>(arguments,
                                {arguments.inputs[2].as<const Number>(), nullptr, nullptr, nullptr, Number(0)});
}

template <class T>
void run_fused_sums(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<FusedBatchNormalizationSumsOp>();
  sum_gradients<T, MaskedByRelu<T>>(arguments, ChannelParameters<Computed<T>>::of(arguments, 2, op.epsilon));
}

template <class T>
std::size_t sums_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return channel_plan<T>(inputs[1], inputs[2]).cut().partial_results() * sizeof(Sums<Computed<T>, 2>);
}

/// The linear function of `batch_normalization_input_gradient`.
template <class T, class Mask>
struct InputGradient {
  using Number = Computed<T>;

  const T* dy;
  const T* x;
  ChannelParameters<Number> parameters;
  const Number* sum;
  const Number* sum_with_distance;
  Number count;

  template <int n>
  struct Loaded {
    Pack<T, n> dy;
    Pack<T, n> x;
  };

  template <int n>
  struct Line {
    const T* dy;
    const T* x;
    typename Mask::template Line<n> mask;
    Number by_dy[n];
    Number by_x[n];
    Number constant[n];

    __device__ Loaded<n> load(std::int64_t place) const {
      return {load_whole<n>(dy + place), load_whole<n>(x + place)};
    }
    __device__ Pack<T, n> at(const Loaded<n>& loaded) const {
      Pack<T, n> values;
      for (int i = 0; i < n; ++i) {
        const Number gradient = mask.gradient(i, loaded.dy.values[i], loaded.x.values[i]);
        values.values[i] = element<T>(gradient * by_dy[i] + (number(loaded.x.values[i]) * by_x[i] + constant[i]));
      }
      return values;
    }
  };

  template <int n>
  __device__ Line<n> of(std::int64_t channel) const {
    const auto mean = load_channels<n>(parameters.mean, channel);
    const auto variance = load_channels<n>(parameters.variance, channel);
    const auto gamma = load_channels<n>(parameters.gamma, channel);
    const auto sums = load_channels<n>(sum, channel);
    const auto sums_with_distance = load_channels<n>(sum_with_distance, channel);
    Line<n> line{dy, x, Mask::template of<n>(parameters, channel), {}, {}, {}};
    for (int i = 0; i < n; ++i) {
      const Number r = parameters.inverse_deviation(variance.values[i]);
      line.by_dy[i] = gamma.values[i] * r;
      line.by_x[i] = -(line.by_dy[i] * r * r * sums_with_distance.values[i] / count);
      line.constant[i] = -(line.by_dy[i] * sums.values[i] / count + line.by_x[i] * mean.values[i]);
    }
    return line;
  }
};

/// `sums`: the index of the first of the two inputs.
template <class T, class Mask>
void differentiate(const KernelArguments& arguments, const ChannelParameters<Computed<T>>& parameters, std::size_t sums,
                   double count) {
  using Number = Computed<T>;
  const TensorView& dy = arguments.inputs[0];
  const TensorView& x = arguments.inputs[1];
  const TensorView& dx = arguments.outputs[0];
  if (dx.size() == 0) return;
  launch_lines<T>(
      arguments, x.spec, arguments.inputs[2].spec,
      is_pack_aligned<T>(dy) && is_pack_aligned<T>(x) && is_pack_aligned<T>(dx),
      InputGradient<T, Mask>{dy.as<const T>(), x.as<const T>(), parameters, arguments.inputs[sums].as<const Number>(),
                             arguments.inputs[sums + 1].as<const Number>(), static_cast<Number>(count)});
}

template <class T>
void run_input_gradient(const KernelArguments& arguments) {
  using Number = Computed<T>;
  const auto& op = arguments.attributes<BatchNormalizationInputGradientOp>();
  const auto channels = [&](std::size_t i) { return arguments.inputs[i].as<const Number>(); };
  differentiate<T, Unmasked<T>>(
      arguments, {channels(2), channels(3), channels(4), nullptr, static_cast<Number>(op.epsilon)}, 5, op.count);
}

template <class T>
void run_fused_input_gradient(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<FusedBatchNormalizationInputGradientOp>();
  differentiate<T, MaskedByRelu<T>>(arguments, ChannelParameters<Computed<T>>::of(arguments, 2, op.epsilon), 6,
                                    op.count);
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("BatchNormalizationSums", dtype_of<T>, {.run = &run_sums<T>, .workspace_bytes = &sums_workspace<T>}), ...);
  (table.add("BatchNormalizationInputGradient", dtype_of<T>, {.run = &run_input_gradient<T>}), ...);
  (table.add("FusedBatchNormalizationSums", dtype_of<T>,
             {.run = &run_fused_sums<T>, .workspace_bytes = &sums_workspace<T>}),
   ...);
  (table.add("FusedBatchNormalizationInputGradient", dtype_of<T>, {.run = &run_fused_input_gradient<T>}), ...);
}

}  // namespace

void register_batch_normalization_gradient_kernels(KernelTable& table) {
  add_all<float, double, Half, BFloat16>(table);
}

}  // namespace rhyton::gpu
