#include <rhyton/framework/ops/gather.h>

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
void check_indices(const Index* indices, const Shape& shape, std::int64_t limit) {
  const std::int64_t count = shape.size();
  for (std::int64_t i = 0; i < count; ++i) {
    if (indices[i] >= 0 && indices[i] < limit) continue;
    throw InvalidArgumentError("indices[" + place_of(i, shape) + "] = " + std::to_string(indices[i]) +
                               " is not in [0, " + std::to_string(limit) + ")");
  }
}

template <class T>
void run_gather(const KernelArguments& arguments) {
  const int axis = arguments.attributes<GatherOp>().axis;
  const Shape& params = arguments.inputs[0].shape();
  const Shape& shape = arguments.inputs[1].shape();
  const std::int64_t outer = params.slice(0, axis).size();
  const std::int64_t limit = params[axis];
  const std::int64_t inner = params.slice(axis + 1, params.rank()).size();
  const std::int64_t count = shape.size();
  with_indices(arguments.inputs[1], [&](const auto* indices) {
    check_indices(indices, shape, limit);
    const T* x = arguments.inputs[0].as<const T>();
    T* y = arguments.outputs[0].as<T>();
    for (std::int64_t o = 0; o < outer; ++o, x += limit * inner) {
      for (std::int64_t i = 0; i < count; ++i, y += inner) {
        std::copy_n(x + static_cast<std::int64_t>(indices[i]) * inner, inner, y);
      }
    }
  });
}

template <class T>
void run_gather_gradient(const KernelArguments& arguments) {
  const int axis = arguments.attributes<GatherGradOp>().axis;
  const Shape& params = arguments.outputs[0].shape();
  const Shape& shape = arguments.inputs[1].shape();
  const std::int64_t outer = params.slice(0, axis).size();
  const std::int64_t limit = params[axis];
  const std::int64_t inner = params.slice(axis + 1, params.rank()).size();
  const std::int64_t count = shape.size();
  with_indices(arguments.inputs[1], [&](const auto* indices) {
    check_indices(indices, shape, limit);
    const T* dy = arguments.inputs[0].as<const T>();
    T* dx = arguments.outputs[0].as<T>();
    if (!arguments.accumulate) std::fill_n(dx, params.size(), T(0));
    for (std::int64_t o = 0; o < outer; ++o, dx += limit * inner) {
      for (std::int64_t i = 0; i < count; ++i, dy += inner) {
        T* to = dx + static_cast<std::int64_t>(indices[i]) * inner;
        for (std::int64_t k = 0; k < inner; ++k) to[k] = elementwise::Add()(to[k], dy[k]);
      }
    }
  });
}

/// Fills the rows [first_sample, first_sample + rows) of the table.
template <class T>
void run_gather_rows_gradient(const KernelArguments& arguments) {
  const TensorView& table = arguments.outputs[0];
  const Shape& shape = arguments.inputs[2].shape();
  const std::int64_t rows = table.shape()[0];
  const std::int64_t first = arguments.first_sample;
  const std::int64_t count = shape.size();
  const T* dy = arguments.inputs[1].as<const T>();
  T* dx = table.as<T>();
  std::fill_n(dx, table.size(), T(0));
  if (rows == 0 || count == 0) return;
  const std::int64_t inner = table.size() / rows;
  with_indices(arguments.inputs[2], [&](const auto* indices) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = static_cast<std::int64_t>(indices[i]) - first;
      if (row < 0 || row >= rows) continue;
      const T* from = dy + i * inner;
      T* to = dx + row * inner;
      for (std::int64_t k = 0; k < inner; ++k) to[k] = elementwise::Add()(to[k], from[k]);
    }
  });
}

template <class T>
void run_one_hot(const KernelArguments& arguments) {
  const Shape& shape = arguments.outputs[0].shape();
  const std::int64_t depth = shape[shape.rank() - 1];
  const std::int64_t count = arguments.inputs[0].size();
  T* y = arguments.outputs[0].as<T>();
  std::fill_n(y, arguments.outputs[0].size(), T());
  with_indices(arguments.inputs[0], [&](const auto* indices) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t index = static_cast<std::int64_t>(indices[i]);
      if (index < 0 || index >= depth) continue;
      if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
        y[i * depth + index] = T(1.0F);
      } else {
        y[i * depth + index] = T(1);
      }
    }
  });
}

/// Elements are only copied, so that dtypes of one size share a kernel.
template <class T>
void add_gather(KernelTable& table) {
  for (const DType dtype : dtypes_of_size<sizeof(T)>) table.add("GatherV2", dtype, {.run = &run_gather<T>});
}

template <class... T>
void add_gather_gradients(KernelTable& table) {
  (table.add("GatherGrad", dtype_of<T>, {.run = &run_gather_gradient<T>}), ...);
  (table.add("GatherRowsGrad", dtype_of<T>, {.run = &run_gather_rows_gradient<T>}), ...);
}

template <class... T>
void add_one_hot(KernelTable& table) {
  (table.add("OneHot", dtype_of<T>, {.run = &run_one_hot<T>}), ...);
}

}  // namespace

void register_gather_kernels(KernelTable& table) {
  add_gather<std::uint8_t>(table);
  add_gather<std::uint16_t>(table);
  add_gather<std::uint32_t>(table);
  add_gather<std::uint64_t>(table);
  add_gather_gradients<float, double, std::int32_t, std::int64_t>(table);
  add_one_hot<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t, bool, std::int8_t, std::int16_t,
              std::uint16_t, std::uint32_t>(table);
}

}  // namespace rhyton::cpu
