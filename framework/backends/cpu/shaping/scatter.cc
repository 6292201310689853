#include <rhyton/framework/ops/scatter.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include <rhyton/framework/backends/cpu/primitives/dtypes_of_size.h>
#include <rhyton/framework/backends/cpu/primitives/index_types.h>
#include <rhyton/framework/backends/cpu/primitives/places.h>
#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/backends/elementwise/binary.h>

namespace rhyton::cpu {
namespace {

template <class Index>
[[noreturn]] void throw_outside(const Index* row, std::int64_t depth, std::int64_t number, const Shape& places,
                                const Shape& whole) {
  std::string given;
  std::string shape;
  for (std::int64_t i = 0; i < depth; ++i) given += (i > 0 ? "," : "") + std::to_string(row[i]);
  for (int axis = 0; axis < whole.rank(); ++axis) shape += (axis > 0 ? "," : "") + std::to_string(whole[axis]);
  throw InvalidArgumentError("indices[" + place_of(number, places) + "] = [" + given + "] does not index into shape [" +
                             shape + "]");
}

void run_ravel(const KernelArguments& arguments) {
  const Shape& whole = arguments.attributes<RavelIndicesOp>().whole;
  const Shape& shape = arguments.inputs[0].shape();
  const Shape places = shape.slice(0, shape.rank() - 1);
  const std::int64_t depth = shape[shape.rank() - 1];
  const std::int64_t count = places.size();
  auto* const y = arguments.outputs[0].as<std::int64_t>();
  with_indices(arguments.inputs[0], [&](const auto* indices) {
    for (std::int64_t i = 0; i < count; ++i, indices += depth) {
      std::int64_t row = 0;
      for (std::int64_t k = 0; k < depth; ++k) {
        const auto index = static_cast<std::int64_t>(indices[k]);
        const std::int64_t length = whole[static_cast<int>(k)];
        if (index < 0 || index >= length) throw_outside(indices, depth, i, places, whole);
        row = row * length + index;
      }
      y[i] = row;
    }
  });
}

struct Replace {
  template <class T>
  static T join(T, T update) {
    return update;
  }
};
// NaN wins, as in the reductions.
struct Largest {
  template <class T>
  static T join(T a, T b) {
    return a > b || a != a ? a : b;
  }
};
struct Smallest {
  template <class T>
  static T join(T a, T b) {
    return a < b || a != a ? a : b;
  }
};
struct Product {
  template <class T>
  static T join(T a, T b) {
    return elementwise::Multiply()(a, b);
  }
};

[[noreturn]] void throw_no_row(std::int64_t row, std::int64_t rows) {
  throw InvalidArgumentError("row " + std::to_string(row) + " is not in [0, " + std::to_string(rows) + ")");
}

template <class Kind, class T>
void run_rows(const KernelArguments& arguments) {
  const T* table = arguments.inputs[0].as<const T>();
  const auto* rows = arguments.inputs[1].as<const std::int64_t>();
  const T* updates = arguments.inputs[2].as<const T>();
  const std::int64_t columns = arguments.inputs[0].shape()[1];
  const std::int64_t count = arguments.inputs[1].size();
  T* y = arguments.outputs[0].as<T>();
  if (y != table) std::copy_n(table, arguments.outputs[0].size(), y);
  for (std::int64_t i = 0; i < count; ++i, updates += columns) {
    if (rows[i] < 0 || rows[i] >= arguments.inputs[0].shape()[0]) throw_no_row(rows[i], arguments.inputs[0].shape()[0]);
    T* to = y + rows[i] * columns;
    for (std::int64_t k = 0; k < columns; ++k) to[k] = Kind::join(to[k], updates[k]);
  }
}

/// Elements are only copied, so that dtypes of one size share a kernel.
template <class T>
void add_update(KernelTable& table) {
  for (const DType dtype : dtypes_of_size<sizeof(T)>)
    table.add("ScatterRowsUpdate", dtype, {.run = &run_rows<Replace, T>});
}

template <class... T>
void add_reductions(KernelTable& table) {
  (table.add("ScatterRowsMax", dtype_of<T>, {.run = &run_rows<Largest, T>}), ...);
  (table.add("ScatterRowsMin", dtype_of<T>, {.run = &run_rows<Smallest, T>}), ...);
  (table.add("ScatterRowsMul", dtype_of<T>, {.run = &run_rows<Product, T>}), ...);
}

}  // namespace

void register_scatter_kernels(KernelTable& table) {
  table.add("RavelIndices", DType::int32, {.run = &run_ravel});
  table.add("RavelIndices", DType::int64, {.run = &run_ravel});
  add_update<std::uint8_t>(table);
  add_update<std::uint16_t>(table);
  add_update<std::uint32_t>(table);
  add_update<std::uint64_t>(table);
  add_reductions<float, double, std::int32_t, std::int64_t, std::uint8_t>(table);
}

}  // namespace rhyton::cpu
