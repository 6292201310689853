#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include <rhyton/framework/backends/cpu/primitives/eigen_arrays.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton::cpu {
namespace {

// A kind of reduction defines its neutral element, and how two values, and a contiguous row, are combined. `Wide` is
// the type in which blocks of values are combined.

/// Combines the floating-point numbers of a contiguous row: 32 of them in parallel, then those with each other. The
/// order depends on the row's length only.
template <class Kind, class T>
T join_row(const T* x, std::int64_t size) {
  constexpr int width = 32;
  T total = Kind::neutral();
  std::int64_t i = 0;
  if (size >= width) {
    Eigen::Array<T, width, 1> lanes = ConstArrayMap<T, width>(x);
    for (i = width; i + width <= size; i += width) lanes = Kind::join(lanes, ConstArrayMap<T, width>(x + i));
    for (int left = width / 2; left > 0; left /= 2) {
      for (int k = 0; k < left; ++k) lanes[k] = Kind::join(lanes[k], lanes[k + left]);
    }
    total = lanes[0];
  }
  for (; i < size; ++i) total = Kind::join(total, x[i]);
  return total;
}

/// The same for integers, whose order does not matter.
template <class Kind, class T>
requires std::is_integral_v<T> T join_row(const T* x, std::int64_t size) {
  T total = Kind::neutral();
  for (std::int64_t i = 0; i < size; ++i) total = Kind::join(total, x[i]);
  return total;
}

template <class T>
struct SumKind {
  using Value = T;
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, T>;
  static T neutral() { return T(0); }
  static auto join(const auto& a, const auto& b) { return a + b; }
  static T row(const T* x, std::int64_t size) { return join_row<SumKind>(x, size); }
};

template <class T>
struct ProdKind {
  using Value = T;
  using Wide = T;
  static T neutral() { return T(1); }
  static auto join(const auto& a, const auto& b) { return a * b; }
  static T row(const T* x, std::int64_t size) { return join_row<ProdKind>(x, size); }
};

/// The row's elements for a reduction that does not depend on the order.
template <class T>
auto whole_row(const T* x, std::int64_t size) {
  return Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>(x, size);
}

template <class T>
struct MaxKind {
  using Value = T;
  using Wide = T;
  static T neutral() {
    return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  }
  static T join(T a, T b) { return a > b || a != a ? a : b; }  // NaN wins
  static T row(const T* x, std::int64_t size) {
    return size == 0 ? neutral() : whole_row(x, size).template maxCoeff<Eigen::PropagateNaN>();
  }
};

template <class T>
struct MinKind {
  using Value = T;
  using Wide = T;
  static T neutral() {
    return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
  static T join(T a, T b) { return a < b || a != a ? a : b; }
  static T row(const T* x, std::int64_t size) {
    return size == 0 ? neutral() : whole_row(x, size).template minCoeff<Eigen::PropagateNaN>();
  }
};

static_assert(sizeof(bool) == 1);

bool contains(const bool* x, std::int64_t size, bool value) {
  return size > 0 && std::memchr(x, static_cast<int>(value), static_cast<std::size_t>(size)) != nullptr;
}

struct AllKind {
  using Value = bool;
  using Wide = bool;
  static bool neutral() { return true; }
  static bool join(bool a, bool b) { return a && b; }
  static bool row(const bool* x, std::int64_t size) { return !contains(x, size, false); }
};

struct AnyKind {
  using Value = bool;
  using Wide = bool;
  static bool neutral() { return false; }
  static bool join(bool a, bool b) { return a || b; }
  static bool row(const bool* x, std::int64_t size) { return contains(x, size, true); }
};

// The number of elements that are combined before their result is added to the wide total.
constexpr std::int64_t row_block = 512;
constexpr std::int64_t column_block = 32;
constexpr std::int64_t tile_width = 256;

/// y[k] is the reduction of row k of x[rows, length].
template <class Kind>
void reduce_rows(const typename Kind::Value* x, std::int64_t rows, std::int64_t length, typename Kind::Value* y) {
  using T = typename Kind::Value;
  using Wide = typename Kind::Wide;
  for (std::int64_t k = 0; k < rows; ++k, x += length) {
    if (length <= row_block) {
      y[k] = Kind::join(y[k], Kind::row(x, length));
      continue;
    }
    Wide total = static_cast<Wide>(y[k]);
    for (std::int64_t first = 0; first < length; first += row_block) {
      total = Kind::join(total, static_cast<Wide>(Kind::row(x + first, std::min(row_block, length - first))));
    }
    y[k] = static_cast<T>(total);
  }
}

/// y[k] is the reduction of column k of x[rows, columns]: tile by tile of columns, and in a tile block by block of
/// rows.
template <class Kind>
void reduce_columns(const typename Kind::Value* x, std::int64_t rows, std::int64_t columns, typename Kind::Value* y) {
  using T = typename Kind::Value;
  using Wide = typename Kind::Wide;
  std::array<T, tile_width> block;
  std::array<Wide, tile_width> total;
  for (std::int64_t first = 0; first < columns; first += tile_width) {
    const std::int64_t width = std::min(tile_width, columns - first);
    for (std::int64_t i = 0; i < width; ++i) total[static_cast<std::size_t>(i)] = static_cast<Wide>(y[first + i]);
    for (std::int64_t top = 0; top < rows; top += column_block) {
      const std::int64_t bottom = std::min(rows, top + column_block);
      block.fill(Kind::neutral());
      T* to = block.data();
      for (std::int64_t row = top; row < bottom; ++row) {
        const T* from = x + row * columns + first;
        for (std::int64_t i = 0; i < width; ++i) to[i] = Kind::join(to[i], from[i]);
      }
      for (std::size_t i = 0; i < static_cast<std::size_t>(width); ++i) {
        total[i] = Kind::join(total[i], static_cast<Wide>(block[i]));
      }
    }
    for (std::int64_t i = 0; i < width; ++i) y[first + i] = static_cast<T>(total[static_cast<std::size_t>(i)]);
  }
}

/// The input's axes, with adjacent ones merged that are both reduced or both kept. Axes of length 1 count as well: the
/// batch may be one, and a sum's order must not depend on the number of samples of a slice.
struct ReducedAxes {
  int rank = 0;
  std::array<std::int64_t, Shape::max_rank> lengths{};
  std::array<bool, Shape::max_rank> reduced{};

  ReducedAxes(const Shape& shape, const std::vector<int>& axes) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const bool is_reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
      if (rank > 0 && reduced[static_cast<std::size_t>(rank - 1)] == is_reduced) {
        lengths[static_cast<std::size_t>(rank - 1)] *= shape[axis];
        continue;
      }
      lengths[static_cast<std::size_t>(rank)] = shape[axis];
      reduced[static_cast<std::size_t>(rank)] = is_reduced;
      ++rank;
    }
  }
};

/// Iterates over the axes from `axis` on: `x_size` and `y_size` are the elements that they span in x and y.
template <class Kind>
void reduce_axes(const ReducedAxes& axes, int axis, const typename Kind::Value* x, std::int64_t x_size,
                 typename Kind::Value* y, std::int64_t y_size) {
  const std::int64_t length = axes.rank > axis ? axes.lengths[static_cast<std::size_t>(axis)] : 1;
  const bool reduced = axes.rank > axis && axes.reduced[static_cast<std::size_t>(axis)];
  const int left = axes.rank - axis;
  if (left <= 1) return reduced ? reduce_rows<Kind>(x, 1, x_size, y) : reduce_columns<Kind>(x, 1, x_size, y);
  if (left == 2) {
    return reduced ? reduce_columns<Kind>(x, length, x_size / length, y)
                   : reduce_rows<Kind>(x, length, x_size / length, y);
  }
  const std::int64_t x_step = x_size / length;
  const std::int64_t y_step = reduced ? 0 : y_size / length;
  for (std::int64_t i = 0; i < length; ++i) {
    reduce_axes<Kind>(axes, axis + 1, x + i * x_step, x_step, y + i * y_step, reduced ? y_size : y_step);
  }
}

template <class Kind>
void run_reduce(const KernelArguments& arguments) {
  using T = typename Kind::Value;
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  T* to = y.as<T>();
  const std::int64_t size = y.size();
  if (!arguments.accumulate) {
    for (std::int64_t i = 0; i < size; ++i) to[i] = Kind::neutral();
  }
  if (x.size() == 0) return;
  reduce_axes<Kind>(ReducedAxes(x.shape(), arguments.attributes<ReduceOp>().axes), 0, x.as<const T>(), x.size(), to,
                    size);
}

/// The elements as numbers that compare.
template <class T>
auto comparable(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

template <class T, bool largest>
void run_arg_extremum(const KernelArguments& arguments) {
  const Shape& shape = arguments.inputs[0].shape();
  const int axis = arguments.attributes<ArgExtremumOp>().axis;
  const std::int64_t outer = shape.slice(0, axis).size();
  const std::int64_t length = shape[axis];
  const std::int64_t inner = shape.slice(axis + 1, shape.rank()).size();
  const T* x = arguments.inputs[0].as<const T>();
  std::int32_t* y = arguments.outputs[0].as<std::int32_t>();
  for (std::int64_t i = 0; i < outer; ++i, x += length * inner) {
    for (std::int64_t j = 0; j < inner; ++j) {
      auto best = comparable(x[j]);
      std::int64_t position = 0;
      for (std::int64_t k = 1; k < length; ++k) {
        const auto value = comparable(x[k * inner + j]);
        if (largest ? value > best : value < best) {
          best = value;
          position = k;
        }
      }
      *y++ = static_cast<std::int32_t>(position);
    }
  }
}

template <template <class> class Kind, class... T>
void add(KernelTable& table, std::string_view name) {
  (table.add(name, dtype_of<T>, {.run = &run_reduce<Kind<T>>}), ...);
}

template <class... T>
void add_arg_extrema(KernelTable& table) {
  (table.add("ArgMax", dtype_of<T>, {.run = &run_arg_extremum<T, true>}), ...);
  (table.add("ArgMin", dtype_of<T>, {.run = &run_arg_extremum<T, false>}), ...);
}

/// Sums and products of integers wrap around: they are computed as unsigned numbers, whose overflow is defined.
template <template <class> class Kind>
void add_arithmetic(KernelTable& table, std::string_view name) {
  add<Kind, float, double>(table, name);
  table.add(name, DType::int32, {.run = &run_reduce<Kind<std::uint32_t>>});
  table.add(name, DType::int64, {.run = &run_reduce<Kind<std::uint64_t>>});
}

}  // namespace

void register_reduce_kernels(KernelTable& table) {
  add_arithmetic<SumKind>(table, "Sum");
  add_arithmetic<ProdKind>(table, "Prod");
  add<MaxKind, float, double, std::int32_t, std::int64_t, std::uint8_t>(table, "Max");
  add<MinKind, float, double, std::int32_t, std::int64_t, std::uint8_t>(table, "Min");
  table.add("All", DType::bool_, {.run = &run_reduce<AllKind>});
  table.add("Any", DType::bool_, {.run = &run_reduce<AnyKind>});
  add_arg_extrema<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t, bool>(table);
}

}  // namespace rhyton::cpu
