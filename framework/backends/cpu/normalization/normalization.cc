#include <rhyton/framework/ops/normalization.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <rhyton/framework/backends/cpu/primitives/vector.h>
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
__attribute__((always_inline)) inline Vector<T> load_some(const T* from, int count) {
  Vector<T> vector;
  if (count == vector_length<T>) {
    load<T>(vector, from);
  } else {
    load_part<T>(vector, from, count);
  }
  return vector;
}

template <class T>
__attribute__((always_inline)) inline void store_some(T* to, const Vector<T>& vector, int count) {
  if (count == vector_length<T>) {
    store<T>(to, vector);
  } else {
    store_part<T>(to, vector, count);
  }
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

template <class T>
void run_gradient(const KernelArguments& arguments) {
  const std::int64_t length = arguments.inputs[2].size();
  const std::int64_t size = arguments.inputs[1].size();
  const T epsilon = epsilon_of<T>(arguments);
  const T share = T(1) / static_cast<T>(length);
  const T* dy = arguments.inputs[0].as<const T>();
  const T* x = arguments.inputs[1].as<const T>();
  const T* gamma = arguments.inputs[2].as<const T>();
  T* dx = arguments.outputs[0].as<T>();
  for (std::int64_t row = 0; row < size; row += length, dy += length, x += length, dx += length) {
    const Moments<T> moments(x, length, epsilon);
    const auto gradient = [&](std::int64_t at, int count) __attribute__((always_inline)) {
      return load_some<T>(dy + at, count) * load_some<T>(gamma + at, count);
    };
    const auto [sum, slope] = sums_of_terms<T, 2>(
        length, [&](std::int64_t at, int count, Vector<T>(&totals)[2]) __attribute__((always_inline)) {
          const Vector<T> g = gradient(at, count);
          totals[0] += g;
          totals[1] += g * moments.normalized(x + at, count);
        });
    const T mean_gradient = share * sum;
    const T mean_slope = share * slope;
    walk<T>(
        length, [&](std::int64_t at, int count) __attribute__((always_inline)) {
          const Vector<T> change = gradient(at, count) - mean_gradient - moments.normalized(x + at, count) * mean_slope;
          store_some<T>(dx + at, change * moments.factor, count);
        });
  }
}

// So many rows are added up in registers before they go into the result.
constexpr int row_block = 4;

/// Adds `rows` rows to the gradients.
template <class T, int rows>
void add_rows(const T* dy, const T* x, std::int64_t length, T epsilon, T* dgamma, T* dbeta) {
  std::array<Moments<T>, rows> moments;
  for (int i = 0; i < rows; ++i) moments[static_cast<std::size_t>(i)] = Moments<T>(x + i * length, length, epsilon);
  walk<T>(
      length, [&](std::int64_t at, int count) __attribute__((always_inline)) {
        Vector<T> of_gamma = {};
        Vector<T> of_beta = {};
        repeat<rows>([&](auto i) __attribute__((always_inline)) {
          const Vector<T> gradient = load_some<T>(dy + i * length + at, count);
          of_gamma += gradient * moments[i].normalized(x + i * length + at, count);
          of_beta += gradient;
        });
        store_some<T>(dgamma + at, load_some<T>(dgamma + at, count) + of_gamma, count);
        store_some<T>(dbeta + at, load_some<T>(dbeta + at, count) + of_beta, count);
      });
}

template <class T>
void run_parameter_gradient(const KernelArguments& arguments) {
  const std::int64_t length = arguments.outputs[0].size();
  const std::int64_t size = arguments.inputs[1].size();
  const T epsilon = epsilon_of<T>(arguments);
  const T* dy = arguments.inputs[0].as<const T>();
  const T* x = arguments.inputs[1].as<const T>();
  T* dgamma = arguments.outputs[0].as<T>();
  T* dbeta = arguments.outputs[1].as<T>();
  if (!arguments.accumulate) {
    std::fill_n(dgamma, length, T(0));
    std::fill_n(dbeta, length, T(0));
  }
  if (length == 0) return;
  std::int64_t at = 0;
  for (; at + row_block * length <= size; at += row_block * length) {
    add_rows<T, row_block>(dy + at, x + at, length, epsilon, dgamma, dbeta);
  }
  for (; at < size; at += length) add_rows<T, 1>(dy + at, x + at, length, epsilon, dgamma, dbeta);
}

template <class T>
void add_all(KernelTable& table) {
  table.add("LayerNormalization", dtype_of<T>, {.run = &run_forward<T>});
  table.add("LayerNormalizationGrad", dtype_of<T>, {.run = &run_gradient<T>});
  table.add("LayerNormalizationParameterGrad", dtype_of<T>, {.run = &run_parameter_gradient<T>});
}

}  // namespace

void register_normalization_kernels(KernelTable& table) {
  add_all<float>(table);
  add_all<double>(table);
}

}  // namespace rhyton::cpu
