#include <rhyton/framework/ops/normalization.h>

#include <cmath>
#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/pack_access.h>
#include <rhyton/framework/backends/gpu/reduce/column_sums.h>
#include <rhyton/framework/backends/gpu/reduce/row_groups.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {
namespace {

/// Of a row.
template <class T>
struct Moments {
  T mean;
  /// 1 / √(variance + epsilon).
  T factor;

  __device__ T normalized(T x) const { return (x - mean) * factor; }
};

template <class T, class Group, class Share>
__device__ Moments<T> moments_of(const Group& group, const Share& share, std::int64_t length, T epsilon) {
  const T portion = T(1) / static_cast<T>(length);
  T sum = T(0);
  share.for_each([&](std::int64_t, T x) { sum += x; });
  const T mean = portion * group.reduce(sum, Plus());
  T deviation = T(0);
  share.for_each([&](std::int64_t, T x) { deviation += (x - mean) * (x - mean); });
  const T variance = portion * group.reduce(deviation, Plus());
  return {mean, T(1) / std::sqrt(variance + epsilon)};
}

template <class T>
struct NormalizationTask {
  using Number = Computed<T>;

  const T* x;
  const T* gamma;
  const T* beta;
  T* y;
  std::int64_t length;
  Number epsilon;

  template <int held, class Group>
  __device__ void run(const Group& group, std::int64_t row) const {
    const RowShare<T, held> share(group, x + row * length, length);
    const Moments<Number> moments = moments_of(group, share, length, epsilon);
    T* const to = y + row * length;
    share.for_each([&](std::int64_t at, Number x) {
      to[at] = element<T>(moments.normalized(x) * number(gamma[at]) + number(beta[at]));
    });
  }
};

template <class T>
struct GradientTask {
  using Number = Computed<T>;

  const T* dy;
  const T* x;
  const T* gamma;
  T* dx;
  std::int64_t length;
  Number epsilon;

  template <int held, class Group>
  __device__ void run(const Group& group, std::int64_t row) const {
    const RowShare<T, held> of_dy(group, dy + row * length, length);
    const RowShare<T, held> share(group, x + row * length, length);
    const Moments<Number> moments = moments_of(group, share, length, epsilon);
    Sums<Number, 2> sums{};
    share.for_each_with(of_dy, [&](std::int64_t at, Number x, Number dy) {
      const Number gradient = dy * number(gamma[at]);
      sums.of[0] += gradient;
      sums.of[1] += gradient * moments.normalized(x);
    });
    sums = group.reduce(sums, Plus());
    const Number portion = Number(1) / static_cast<Number>(length);
    const Number mean_gradient = portion * sums.of[0];
    const Number mean_slope = portion * sums.of[1];
    T* const to = dx + row * length;
    share.for_each_with(of_dy, [&](std::int64_t at, Number x, Number dy) {
      const Number change = dy * number(gamma[at]) - mean_gradient - moments.normalized(x) * mean_slope;
      to[at] = element<T>(change * moments.factor);
    });
  }
};

template <class T>
struct MomentsTask {
  using Number = Computed<T>;

  const T* x;
  Moments<Number>* moments;
  std::int64_t length;
  Number epsilon;

  template <int held, class Group>
  __device__ void run(const Group& group, std::int64_t row) const {
    const RowShare<T, held> share(group, x + row * length, length);
    const Moments<Number> of_row = moments_of(group, share, length, epsilon);
    if (group.has_row && group.thread() == 0) moments[row] = of_row;
  }
};

/// dy · normalised x, and dy, of [rows, length].
template <class T>
struct ParameterTerms {
  using Number = Computed<T>;

  const T* dy;
  const T* x;
  const Moments<Number>* moments;
  std::int64_t length;
  bool aligned;

  template <int n>
  struct Column {
    const T* dy;
    const T* x;
    const Moments<Number>* moments;
    std::int64_t step;
    bool aligned;

    __device__ void load(std::int64_t row, Sums<Number, 2> (&values)[n]) const {
      const Pack<T, n> gradients = load_pack<n>(dy + row * step, aligned);
      const Pack<T, n> pack = load_pack<n>(x + row * step, aligned);
      const Moments<Number> of_row = moments[row];
      for (int i = 0; i < n; ++i) {
        const Number gradient = number(gradients.values[i]);
        values[i].of[0] = gradient * of_row.normalized(number(pack.values[i]));
        values[i].of[1] = gradient;
      }
    }
  };

  template <int n>
  __device__ Column<n> at(std::int64_t, std::int64_t column) const {
    return {dy + column, x + column, moments, length, aligned};
  }
};

template <class T>
Computed<T> epsilon_of(const KernelArguments& arguments) {
  return static_cast<Computed<T>>(arguments.attributes<LayerNormalizationBaseOp>().epsilon);
}

template <class T>
void run_forward(const KernelArguments& arguments) {
  const std::int64_t length = arguments.inputs[1].size();
  if (length == 0) return;
  const auto input = [&](std::size_t i) { return arguments.inputs[i].as<const T>(); };
  launch_each_row(stream_of(arguments), "LayerNormalization", arguments.inputs[0].size() / length, length,
                  NormalizationTask<T>{input(0), input(1), input(2), arguments.outputs[0].as<T>(), length,
                                       epsilon_of<T>(arguments)});
}

template <class T>
void run_input_gradient(const KernelArguments& arguments) {
  const std::int64_t length = arguments.inputs[2].size();
  if (length == 0) return;
  const auto input = [&](std::size_t i) { return arguments.inputs[i].as<const T>(); };
  launch_each_row(
      stream_of(arguments), "LayerNormalizationInputGrad", arguments.inputs[1].size() / length, length,
      GradientTask<T>{input(0), input(1), input(2), arguments.outputs[0].as<T>(), length, epsilon_of<T>(arguments)});
}

/// The number of columns that a thread processes together.
template <class T>
constexpr int pack = pack_width<T> < 4 ? pack_width<T> : 4;

template <class T>
ColumnPlan plan_for(const TensorSpec& x, const TensorSpec& gamma) {
  const std::int64_t length = gamma.shape.size();
  return ColumnPlan(1, length == 0 ? 0 : x.shape.size() / length, length, pack<T>).cut();
}

/// The bytes of the rows' moments, such that the memory after them is aligned.
template <class T>
std::size_t moments_bytes(std::int64_t rows) {
  constexpr std::size_t alignment = 64;
  return (static_cast<std::size_t>(rows) * sizeof(Moments<Computed<T>>) + alignment - 1) / alignment * alignment;
}

/// Writes dgamma and dbeta, the outputs from number `first_output` on.
template <class T>
void write_parameter_gradients(const KernelArguments& arguments, std::size_t first_output) {
  GpuStream& stream = stream_of(arguments);
  const TensorView& dy = arguments.inputs[0];
  const TensorView& x = arguments.inputs[1];
  const TensorView& dgamma = arguments.outputs[first_output];
  const TensorView& dbeta = arguments.outputs[first_output + 1];
  const ColumnPlan plan = plan_for<T>(x.spec, dgamma.spec);
  if (plan.columns == 0) return;
  auto* const moments = static_cast<Moments<Computed<T>>*>(arguments.workspace);
  launch_each_row(stream, "LayerNormalizationParameterGrad", plan.rows, plan.columns,
                  MomentsTask<T>{x.as<const T>(), moments, plan.columns, epsilon_of<T>(arguments)});
  const bool aligned = is_aligned(dy.data, pack<T> * sizeof(T)) && is_aligned(x.data, pack<T> * sizeof(T));
  const ParameterTerms<T> source{dy.as<const T>(), x.as<const T>(), moments, plan.columns, aligned};
  const SumsTarget<T, 2> target{{dgamma.as<T>(), dbeta.as<T>()}};
  reduce_columns<SumsKind<Computed<T>, 2>, pack<T>>(
      stream, "LayerNormalizationParameterGrad", plan, source, target,
      static_cast<std::byte*>(arguments.workspace) + moments_bytes<T>(plan.rows));
}

template <class T>
void run_parameter_gradient(const KernelArguments& arguments) {
  write_parameter_gradients<T>(arguments, 0);
}

template <class T>
void run_gradient(const KernelArguments& arguments) {
  write_parameter_gradients<T>(arguments, 1);
  run_input_gradient<T>(arguments);
}

/// For both; their last output is dbeta.
template <class T>
std::size_t parameter_gradient_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs outputs) {
  const ColumnPlan plan = plan_for<T>(inputs[1], outputs.back());
  return moments_bytes<T>(plan.rows) + plan.partial_results() * sizeof(Sums<Computed<T>, 2>);
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("LayerNormalization", dtype_of<T>, {.run = &run_forward<T>}), ...);
  (table.add("LayerNormalizationGrad", dtype_of<T>,
             {.run = &run_gradient<T>, .workspace_bytes = &parameter_gradient_workspace<T>}),
   ...);
  (table.add("LayerNormalizationInputGrad", dtype_of<T>, {.run = &run_input_gradient<T>}), ...);
  (table.add("LayerNormalizationParameterGrad", dtype_of<T>,
             {.run = &run_parameter_gradient<T>, .workspace_bytes = &parameter_gradient_workspace<T>}),
   ...);
}

}  // namespace

void register_normalization_kernels(KernelTable& table) { add_all<float, double, Half, BFloat16>(table); }

}  // namespace rhyton::gpu
