#include <rhyton/framework/ops/indexing.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include <rhyton/framework/backends/cpu/primitives/dtypes_of_size.h>
#include <rhyton/framework/backends/cpu/primitives/index_types.h>
#include <rhyton/framework/backends/cpu/primitives/places.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

/// The lengths before, on and behind an axis.
struct Axis {
  std::int64_t outer;
  std::int64_t length;
  std::int64_t inner;

  Axis(const Shape& shape, int axis)
      : outer(shape.slice(0, axis).size()), length(shape[axis]), inner(shape.slice(axis + 1, shape.rank()).size()) {}
};

/// Index `number` of a tensor of that shape, counted from the front.
template <class Index>
std::int64_t checked(Index given, std::int64_t length, std::int64_t number, const Shape& shape) {
  std::int64_t index = static_cast<std::int64_t>(given);
  if (index < 0) index += length;
  if (index >= 0 && index < length) return index;
  throw InvalidArgumentError("indices[" + place_of(number, shape) + "] = " + std::to_string(index) + " is not in [0, " +
                             std::to_string(length) + ")");
}

template <class T>
void run_take(const KernelArguments& arguments) {
  const int axis = arguments.attributes<TakeAlongAxisOp>().axis;
  const Shape& shape = arguments.inputs[1].shape();
  const Axis of_x(arguments.inputs[0].shape(), axis);
  const Axis of_y(shape, axis);
  const T* x = arguments.inputs[0].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  with_indices(arguments.inputs[1], [&](const auto* indices) {
    std::int64_t number = 0;
    for (std::int64_t o = 0; o < of_y.outer; ++o, x += of_x.length * of_x.inner) {
      for (std::int64_t i = 0; i < of_y.length; ++i) {
        for (std::int64_t k = 0; k < of_y.inner; ++k, ++number) {
          y[number] = x[checked(indices[number], of_x.length, number, shape) * of_x.inner + k];
        }
      }
    }
  });
}

template <class T>
void run_gradient(const KernelArguments& arguments) {
  const int axis = arguments.attributes<TakeAlongAxisGradOp>().axis;
  const Shape& shape = arguments.inputs[1].shape();
  const Axis of_x(arguments.outputs[0].shape(), axis);
  const Axis of_y(shape, axis);
  const T* dy = arguments.inputs[0].as<const T>();
  T* dx = arguments.outputs[0].as<T>();
  if (!arguments.accumulate) std::fill_n(dx, arguments.outputs[0].size(), T(0));
  with_indices(arguments.inputs[1], [&](const auto* indices) {
    std::int64_t number = 0;
    for (std::int64_t o = 0; o < of_y.outer; ++o, dx += of_x.length * of_x.inner) {
      for (std::int64_t i = 0; i < of_y.length; ++i) {
        for (std::int64_t k = 0; k < of_y.inner; ++k, ++number) {
          dx[checked(indices[number], of_x.length, number, shape) * of_x.inner + k] += dy[number];
        }
      }
    }
  });
}

/// Elements are only copied, so that dtypes of one size share a kernel.
template <class T>
void add_take(KernelTable& table) {
  for (const DType dtype : dtypes_of_size<sizeof(T)>) table.add("TakeAlongAxis", dtype, {.run = &run_take<T>});
}

}  // namespace

void register_indexing_kernels(KernelTable& table) {
  add_take<std::uint8_t>(table);
  add_take<std::uint16_t>(table);
  add_take<std::uint32_t>(table);
  add_take<std::uint64_t>(table);
  table.add("TakeAlongAxisGrad", DType::float32, {.run = &run_gradient<float>});
  table.add("TakeAlongAxisGrad", DType::float64, {.run = &run_gradient<double>});
}

}  // namespace rhyton::cpu
