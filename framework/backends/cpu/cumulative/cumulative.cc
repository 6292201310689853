#include <rhyton/framework/ops/cumulative.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

/// Integers are joined modulo their range.
template <bool is_sum, class T>
T joined(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    const auto first = static_cast<Unsigned>(a);
    const auto second = static_cast<Unsigned>(b);
    return static_cast<T>(is_sum ? static_cast<Unsigned>(first + second) : static_cast<Unsigned>(first * second));
  } else {
    return is_sum ? a + b : a * b;
  }
}

template <bool is_sum, class T>
void run(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<CumulativeOp>();
  const Shape& shape = arguments.inputs[0].shape();
  const std::int64_t outer = shape.slice(0, op.axis).size();
  const std::int64_t length = shape[op.axis];
  const std::int64_t inner = shape.slice(op.axis + 1, shape.rank()).size();
  if (shape.size() == 0) return;
  const T* x = arguments.inputs[0].as<const T>();
  T* y = arguments.outputs[0].as<T>();
  const std::int64_t step = op.reverse ? -inner : inner;
  for (std::int64_t o = 0; o < outer; ++o) {
    std::int64_t row = o * length * inner + (op.reverse ? (length - 1) * inner : 0);
    std::copy_n(x + row, inner, y + row);
    for (std::int64_t i = 1; i < length; ++i) {
      const std::int64_t previous = row;
      row += step;
      for (std::int64_t k = 0; k < inner; ++k) y[row + k] = joined<is_sum>(y[previous + k], x[row + k]);
    }
  }
}

template <class... T>
void add(KernelTable& table) {
  (table.add("Cumsum", dtype_of<T>, {.run = &run<true, T>}), ...);
  (table.add("Cumprod", dtype_of<T>, {.run = &run<false, T>}), ...);
}

}  // namespace

void register_cumulative_kernels(KernelTable& table) {
  add<float, double, std::int32_t, std::int64_t, std::uint8_t>(table);
}

}  // namespace rhyton::cpu
