#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <rhyton/framework/backends/cpu/elementwise/elementwise.h>
#include <rhyton/framework/backends/cpu/primitives/half_conversion.h>
#include <rhyton/framework/ops/parametric_elementwise.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton::cpu {
namespace {

/// The integer part of a number; of NaN and of numbers that T does not have, the smallest T, as x86 processors compute it
/// and so TensorFlow on them.
template <class T, class From>
T integer_part(From value) {
  constexpr From limit = -static_cast<From>(std::numeric_limits<T>::min());
  return value >= -limit && value < limit ? static_cast<T>(value) : std::numeric_limits<T>::min();
}

template <class To, class From>
To convert(From value) {
  if constexpr (is_half(dtype_of<From>)) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (is_half(dtype_of<To>)) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // Narrower integers are what is left of the integer part.
    using Wide = std::conditional_t<(sizeof(To) < 4), std::int32_t,
                                    std::conditional_t<std::is_unsigned_v<To>, std::int64_t, To>>;
    return static_cast<To>(integer_part<Wide>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
void convert_all(const KernelArguments& arguments) {
  const From* x = arguments.inputs[0].as<const From>();
  To* y = arguments.outputs[0].as<To>();
  const std::int64_t size = arguments.outputs[0].size();
  if constexpr ((std::is_same_v<From, float> && is_half(dtype_of<To>)) ||
                (std::is_same_v<To, float> && is_half(dtype_of<From>))) {
    convert_elements(x, y, size);
  } else {
    for (std::int64_t i = 0; i < size; ++i) y[i] = convert<To>(x[i]);
  }
}

template <class From>
void run_cast(const KernelArguments& arguments) {
  visit_dtype(arguments.outputs[0].spec.dtype,
              [&]<class To>(std::type_identity<To>) { convert_all<To, From>(arguments); });
}

template <class T>
void run_full_like(const KernelArguments& arguments) {
  T* y = arguments.outputs[0].as<T>();
  const T value = convert<T>(arguments.attributes<FullLikeOp>().value);
  const std::int64_t size = arguments.outputs[0].size();
  for (std::int64_t i = 0; i < size; ++i) y[i] = value;
}

void run_copy(const KernelArguments& arguments) {
  const TensorView& from = arguments.inputs[0];
  const TensorView& to = arguments.outputs[0];
  if (to.data != from.data && to.size() > 0) std::memcpy(to.data, from.data, to.spec.bytes());
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("Cast", dtype_of<T>, {.run = &run_cast<T>}), ...);
  (table.add("FullLike", dtype_of<T>, {.run = &run_full_like<T>}), ...);
  (table.add("Identity", dtype_of<T>, {.run = &run_copy}), ...);
  (table.add("StopGradient", dtype_of<T>, {.run = &run_copy}), ...);
}

}  // namespace

void register_cast_kernels(KernelTable& table) {
  add_all<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t, bool, std::int8_t, std::int16_t,
          std::uint16_t, std::uint32_t>(table);
}

}  // namespace rhyton::cpu
