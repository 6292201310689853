#include <rhyton/framework/ops/normalization.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/cpu/primitives/vector_part.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

template <class T>
T sum_of_lanes(const Vector<T>& vector) {
  std::array<T, vector_length<T>> lanes;
  store<T>(lanes.data(), vector);
  for (std::size_t left = lanes.size() / 2; left > 0; left /= 2) {
    for (std::size_t k = 0; k < left; ++k) lanes[k] += lanes[k + left];
  }
  return lanes[0];
}

/// Calls step(at, count) for each register of a row; only the last may have less than a full one.
template <class T, class Step>
__attribute__((always_inline)) inline void walk(std::int64_t length, const Step& step) {
  std::int64_t at = 0;
  for (; at + vector_length<T> <= length; at += vector_length<T>) step(at, vector_length<T>);
  if (at < length) step(at, static_cast<int>(length - at));
}

/// The sums of `count` terms over a row: add(at, count, totals) adds a register of each, of the elements that are not
/// there 0. The order depends on the row's length only.
template <class T, int count, class Add>
__attribute__((always_inline)) inline std::array<T, count> sums_of_terms(std::int64_t length, const Add& add) {
  constexpr int side_by_side = 4;
  constexpr std::int64_t step = side_by_side * vector_length<T>;
  Vector<T> totals[side_by_side][count] = {};
  std::int64_t at = 0;
  for (; at + step <= length; at += step) {
    repeat<side_by_side>([&](auto k) __attribute__((always_inline)) {
      add(at + k * vector_length<T>, vector_length<T>, totals[k]);
    });
  }
  for (; at + vector_length<T> <= length; at += vector_length<T>) add(at, vector_length<T>, totals[0]);
  if (at < length) add(at, static_cast<int>(length - at), totals[0]);
  std::array<T, count> sums;
  for (int i = 0; i < count; ++i) {
    sums[static_cast<std::size_t>(i)] = sum_of_lanes<T>((totals[0][i] + totals[1][i]) + (totals[2][i] + totals[3][i]));
  }
  return sums;
}

template <class T>
__attribute__((always_inline)) inline void add(T* to, const Vector<T>& vector, int count) {
  store_some<T>(to, load_some<T>(to, count) + vector, count);
}

/// Of a row.
template <class T>
struct Moments {
  T mean;
  /// 1 / √(variance + epsilon).
  T factor;

  Moments() = default;
  Moments(const T* x, std::int64_t length, T epsilon) {
    const T share = T(1) / static_cast<T>(length);
    const T center =
        share * sums_of_terms<T, 1>(
                    length, [&](std::int64_t at, int count, Vector<T>(&totals)[1])
                                __attribute__((always_inline)) { totals[0] += load_some<T>(x + at, count); })[0];
    const T variance =
        share * sums_of_terms<T, 1>(
                    length, [&](std::int64_t at, int count, Vector<T>(&totals)[1]) __attribute__((always_inline)) {
                      Vector<T> distance = load_some<T>(x + at, count) - center;
                      for (int i = count; i < vector_length<T>; ++i) distance[i] = T(0);
                      totals[0] += distance * distance;
                    })[0];
    mean = center;
    factor = T(1) / std::sqrt(variance + epsilon);
  }

  __attribute__((always_inline)) Vector<T> normalized(const T* x, int count) const {
    return (load_some<T>(x, count) - mean) * factor;
  }
};

template <class T>
T epsilon_of(const KernelArguments& arguments) {
  return static_cast<T>(static_cast<const LayerNormalizationBaseOp&>(*arguments.op).epsilon);
}

template <class T>
void run_forward(const KernelArguments& arguments) {
  const std::int64_t length = arguments.inputs[1].size();
  const std::int64_t size = arguments.inputs[0].size();
  const T epsilon = epsilon_of<T>(arguments);
  const T* x = arguments.inputs[0].as<const T>();
  const T* gamma = arguments.inputs[1].as<const T>();
  const T* beta = arguments.inputs[2].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  for (std::int64_t row = 0; row < size; row += length, x += length, y += length) {
    const Moments<T> moments(x, length, epsilon);
    walk<T>(
        length, [&](std::int64_t at, int count) __attribute__((always_inline)) {
          const Vector<T> z = moments.normalized(x + at, count);
          store_some<T>(y + at, z * load_some<T>(gamma + at, count) + load_some<T>(beta + at, count), count);
        });
  }
}

// So many rows are processed together: their sums are added up in registers before they go into the results.
constexpr int row_block = 4;

/// The gradients of rows of this length.
template <class T>
struct GradientRows {
  std::int64_t length;
  T epsilon;

  template <int rows>
  std::array<Moments<T>, rows> moments_of(const T* x) const {
    std::array<Moments<T>, rows> moments;
    for (int i = 0; i < rows; ++i) moments[static_cast<std::size_t>(i)] = Moments<T>(x + i * length, length, epsilon);
    return moments;
  }

  /// Adds the gradients of the parameters for `rows` rows.
  template <int rows>
  void add_to_parameters(const std::array<Moments<T>, rows>& moments, const T* dy, const T* x, T* dgamma,
                         T* dbeta) const {
    walk<T>(
        length, [&](std::int64_t at, int count) __attribute__((always_inline)) {
          Vector<T> of_gamma = {};
          Vector<T> of_beta = {};
          repeat<rows>([&](auto i) __attribute__((always_inline)) {
            const Vector<T> gradient = load_some<T>(dy + i * length + at, count);
            of_gamma += gradient * moments[i].normalized(x + i * length + at, count);
            of_beta += gradient;
          });
          add<T>(dgamma + at, of_gamma, count);
          add<T>(dbeta + at, of_beta, count);
        });
  }

  /// Writes the gradient of x for one row. Compiled once, so that its bits do not depend on the rows beside it.
  __attribute__((noinline)) void write(const Moments<T>& moments, const T* dy, const T* x, const T* gamma,
                                       T* dx) const {
    const auto gradient = [&](std::int64_t at, int count) __attribute__((always_inline)) {
      return load_some<T>(dy + at, count) * load_some<T>(gamma + at, count);
    };
    const auto [sum, slope] = sums_of_terms<T, 2>(
        length, [&](std::int64_t at, int count, Vector<T>(&totals)[2]) __attribute__((always_inline)) {
          const Vector<T> g = gradient(at, count);
          totals[0] += g;
          totals[1] += g * moments.normalized(x + at, count);
        });
    const T share = T(1) / static_cast<T>(length);
    const T mean_gradient = share * sum;
    const T mean_slope = share * slope;
    walk<T>(
        length, [&](std::int64_t at, int count) __attribute__((always_inline)) {
          const Vector<T> change = gradient(at, count) - mean_gradient - moments.normalized(x + at, count) * mean_slope;
          store_some<T>(dx + at, change * moments.factor, count);
        });
  }
};

template <class T>
void run_input_gradient(const KernelArguments& arguments) {
  const std::int64_t length = arguments.inputs[2].size();
  const std::int64_t size = arguments.inputs[1].size();
  const GradientRows<T> rows{length, epsilon_of<T>(arguments)};
  const T* dy = arguments.inputs[0].as<const T>();
  const T* x = arguments.inputs[1].as<const T>();
  const T* gamma = arguments.inputs[2].as<const T>();
  T* dx = arguments.outputs[0].as<T>();
  for (std::int64_t at = 0; at < size; at += length) {
    rows.write(Moments<T>(x + at, length, rows.epsilon), dy + at, x + at, gamma, dx + at);
  }
}

/// Calls step(at, count) for each block of `count` rows from element `at` on, where `count` is a constant.
template <class Step>
void walk_blocks(std::int64_t length, std::int64_t size, const Step& step) {
  if (length == 0) return;
  std::int64_t at = 0;
  for (; at + row_block * length <= size; at += row_block * length) step(at, std::integral_constant<int, row_block>());
  for (; at < size; at += length) step(at, std::integral_constant<int, 1>());
}

template <class T>
void clear_unless_accumulating(const KernelArguments& arguments, std::size_t first_output) {
  if (arguments.accumulate) return;
  for (const TensorView& output : arguments.outputs.subspan(first_output)) {
    std::fill_n(output.as<T>(), output.size(), T(0));
  }
}

template <class T>
void run_parameter_gradient(const KernelArguments& arguments) {
  const std::int64_t length = arguments.outputs[0].size();
  const GradientRows<T> rows{length, epsilon_of<T>(arguments)};
  const T* dy = arguments.inputs[0].as<const T>();
  const T* x = arguments.inputs[1].as<const T>();
  T* dgamma = arguments.outputs[0].as<T>();
  T* dbeta = arguments.outputs[1].as<T>();
  clear_unless_accumulating<T>(arguments, 0);
  walk_blocks(length, arguments.inputs[1].size(), [&](std::int64_t at, auto count) {
    const auto moments = rows.template moments_of<count()>(x + at);
    rows.template add_to_parameters<count()>(moments, dy + at, x + at, dgamma, dbeta);
  });
}

template <class T>
void run_gradient(const KernelArguments& arguments) {
  const std::int64_t length = arguments.inputs[2].size();
  const GradientRows<T> rows{length, epsilon_of<T>(arguments)};
  const T* dy = arguments.inputs[0].as<const T>();
  const T* x = arguments.inputs[1].as<const T>();
  const T* gamma = arguments.inputs[2].as<const T>();
  T* dx = arguments.outputs[0].as<T>();
  T* dgamma = arguments.outputs[1].as<T>();
  T* dbeta = arguments.outputs[2].as<T>();
  clear_unless_accumulating<T>(arguments, 1);
  walk_blocks(length, arguments.inputs[1].size(), [&](std::int64_t at, auto count) {
    const auto moments = rows.template moments_of<count()>(x + at);
    std::int64_t row = at;
    for (const Moments<T>& of_row : moments) {
      rows.write(of_row, dy + row, x + row, gamma, dx + row);
      row += length;
    }
    rows.template add_to_parameters<count()>(moments, dy + at, x + at, dgamma, dbeta);
  });
}

template <class T>
void add_all(KernelTable& table) {
  table.add("LayerNormalization", dtype_of<T>, {.run = &run_forward<T>});
  table.add("LayerNormalizationGrad", dtype_of<T>, {.run = &run_gradient<T>});
  table.add("LayerNormalizationInputGrad", dtype_of<T>, {.run = &run_input_gradient<T>});
  table.add("LayerNormalizationParameterGrad", dtype_of<T>, {.run = &run_parameter_gradient<T>});
}

}  // namespace

void register_normalization_kernels(KernelTable& table) {
  add_all<float>(table);
  add_all<double>(table);
}

}  // namespace rhyton::cpu
