#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include <rhyton/framework/backends/cpu/primitives/eigen_arrays.h>
#include <rhyton/framework/backends/cpu/primitives/index_types.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

/// The rows along a tensor's last axis.
struct Rows {
  std::int64_t count;
  std::int64_t length;

  explicit Rows(const Shape& shape) : count(1), length(shape[shape.rank() - 1]) {
    count = shape.slice(0, shape.rank() - 1).size();
  }
};

template <class T>
T largest_of(const T* x, std::int64_t size) {
  return Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(x, size).maxCoeff();
}

/// The order of the sum depends on the row's length only.
template <class T>
T sum_of(const T* x, std::int64_t size) {
  constexpr int width = 16;
  T total = T(0);
  std::int64_t i = 0;
  if (size >= width) {
    Eigen::Array<T, width, 1> lanes = ConstArrayMap<T, width>(x);
    for (i = width; i + width <= size; i += width) lanes += ConstArrayMap<T, width>(x + i);
    total = lanes.sum();
  }
  for (; i < size; ++i) total += x[i];
  return total;
}

/// y = e^(x - max x) for each row, and then `finish(row, x, y, max, sum of y)`. Short rows are processed together, so
/// that the exponentials fill packets; all is done while a group of rows is in the L1 cache.
template <class T, class Finish>
void for_each_softmax_row(const Rows& rows, const T* x, T* y, const Finish& finish) {
  constexpr std::int64_t max_rows = 32;
  std::array<T, max_rows> largest;
  const std::int64_t group = std::clamp<std::int64_t>(1024 / std::max<std::int64_t>(rows.length, 1), 1, max_rows);
  for (std::int64_t first = 0; first < rows.count; first += group) {
    const std::int64_t count = std::min(group, rows.count - first);
    const T* from = x + first * rows.length;
    T* to = y + first * rows.length;
    for (std::int64_t i = 0; i < count; ++i) {
      const T shift = largest_of(from + i * rows.length, rows.length);
      for (std::int64_t k = i * rows.length; k < (i + 1) * rows.length; ++k) to[k] = from[k] - shift;
      largest[static_cast<std::size_t>(i)] = shift;
    }
    map_packets(
        count * rows.length, to, [](const auto& values) { return exponential(values); }, to);
    for (std::int64_t i = 0; i < count; ++i) {
      T* row = to + i * rows.length;
      finish(first + i, from + i * rows.length, row, largest[static_cast<std::size_t>(i)], sum_of(row, rows.length));
    }
  }
}

template <class T>
void run_softmax(const KernelArguments& arguments) {
  const Rows rows(arguments.outputs[0].shape());
  if (rows.length == 0) return;
  for_each_softmax_row(rows, arguments.inputs[0].as<const T>(), arguments.outputs[0].as<T>(),
                       [&](std::int64_t, const T*, T* y, T, T total) {
                         for (std::int64_t k = 0; k < rows.length; ++k) y[k] *= T(1) / total;
                       });
}

template <class T>
void run_log_softmax(const KernelArguments& arguments) {
  const Rows rows(arguments.outputs[0].shape());
  if (rows.length == 0) return;
  for_each_softmax_row(rows, arguments.inputs[0].as<const T>(), arguments.outputs[0].as<T>(),
                       [&](std::int64_t, const T* x, T* y, T largest, T total) {
                         const T logarithm = std::log(total);
                         for (std::int64_t k = 0; k < rows.length; ++k) y[k] = (x[k] - largest) - logarithm;
                       });
}

template <class Index>
[[noreturn]] void throw_bad_label(const Index* labels, std::int64_t count, std::int64_t bad, std::int64_t classes) {
  std::string message = "Received a label value of " + std::to_string(labels[bad]) +
                        " which is outside the valid range of [0, " + std::to_string(classes) + ").  Label values:";
  for (std::int64_t i = 0; i < count; ++i) message += " " + std::to_string(labels[i]);
  throw InvalidArgumentError(message);
}

template <class T>
void run_sparse_cross_entropy(const KernelArguments& arguments) {
  const Rows rows(arguments.inputs[0].shape());
  T* loss = arguments.outputs[0].as<T>();
  with_indices(arguments.inputs[1], [&](const auto* labels) {
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const std::int64_t label = static_cast<std::int64_t>(labels[i]);
      if (label < 0 || label >= rows.length) throw_bad_label(labels, rows.count, i, rows.length);
    }
    for_each_softmax_row(rows, arguments.inputs[0].as<const T>(), arguments.outputs[1].as<T>(),
                         [&](std::int64_t row, const T* x, T* y, T largest, T total) {
                           loss[row] = std::log(total) + (largest - x[labels[row]]);
                           for (std::int64_t k = 0; k < rows.length; ++k) y[k] *= T(1) / total;
                         });
  });
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("Softmax", dtype_of<T>, {.run = &run_softmax<T>}), ...);
  (table.add("LogSoftmax", dtype_of<T>, {.run = &run_log_softmax<T>}), ...);
  (table.add("SparseSoftmaxCrossEntropyWithLogits", dtype_of<T>, {.run = &run_sparse_cross_entropy<T>}), ...);
}

}  // namespace

void register_softmax_kernels(KernelTable& table) { add_all<float, double>(table); }

}  // namespace rhyton::cpu
