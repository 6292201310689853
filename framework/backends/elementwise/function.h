#pragma once

#include <cstdint>
#include <type_traits>

#include <rhyton/framework/ops/op.h>
#include <rhyton/framework/tensor/dtype.h>

// Elementwise ops as functions of single numbers, shared by the backends. The lists at the end of unary.h, binary.h,
// activations.h and conversions.h are the only ones: the kernels of the CPU and of GPUs, and the members of the GPU's
// chains, follow from them.
//
// A function is a class with
//   name                   the name of its op
//   Elements               the `Types` of elements that its kernels take
//   operator()             the result, for numbers of type `T`: float for the half types, else the element itself
// and where they apply
//   constants(op)          the attributes that it depends on, which operator() gets last, as `Constants<T>`
//   Variant                the function with another formula, which an attribute selects
//   is_variant(op)         whether that attribute selects it
//   array(x)               in unary.h: the result for an array of Eigen's, which the CPU computes in vector registers
//   chains_integers        false if chains on GPUs take it for floating numbers only.

/// Code for the host and, in sources for CUDA, for the device. A macro because other compilers do not know the words.
#ifdef __CUDACC__
#define RHYTON_HOST_DEVICE __host__ __device__
#else
#define RHYTON_HOST_DEVICE
#endif

namespace rhyton::elementwise {

/// Types of elements.
template <class... T>
struct Types {
  template <class Other>
  static constexpr bool contain = (std::is_same_v<T, Other> || ...);
  static constexpr bool contain_integers = (std::is_integral_v<T> || ...);
};

using Floating = Types<float, double, Half, BFloat16>;
using Signed = Types<float, double, Half, BFloat16, std::int32_t, std::int64_t>;
using Numbers = Types<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t>;
using AllTypes = Types<float, double, Half, BFloat16, std::int32_t, std::int64_t, std::uint8_t, bool>;
using Truth = Types<bool>;

/// Whether elements of a dtype are among these types.
template <class... T>
constexpr bool contain(Types<T...>, DType dtype) {
  return ((dtype_of<T> == dtype) || ...);
}

/// A list of functions.
template <class... Function>
struct Functions {};

/// The attributes of an op, converted to the type that its function computes in.
template <class T>
struct Constants {
  T first;
  T second;
};

template <class Function>
concept HasConstants = requires(const Op& op) {
  Function::constants(op);
};

template <class Function>
concept HasVariant = requires(const Op& op) {
  Function::is_variant(op);
};

/// The attributes that a function depends on; zeros for a function that depends on none.
template <class Function>
Constants<double> constants_of(const Op& op) {
  if constexpr (HasConstants<Function>) {
    return Function::constants(op);
  } else {
    return {};
  }
}

/// A function together with the attributes of an op.
template <class Function, class T>
struct Bound {
  static constexpr const char* name = Function::name;
  Constants<T> constants;

  template <class... Operand>
  RHYTON_HOST_DEVICE auto operator()(Operand... x) const -> decltype(Function()(x..., constants)) {
    return Function()(x..., constants);
  }
};

/// The function object for given attributes; the function itself if it depends on none.
template <class Function, class T>
RHYTON_HOST_DEVICE inline auto function_of(const Constants<T>& constants) {
  if constexpr (HasConstants<Function>) {
    return Bound<Function, T>{constants};
  } else {
    return Function();
  }
}

/// The number of operands of a function.
template <class Function, class Object = decltype(function_of<Function>(Constants<float>()))>
inline constexpr int operand_count = std::is_invocable_v<Object, float>          ? 1
                                     : std::is_invocable_v<Object, float, float> ? 2
                                                                                 : 3;

template <class Function>
constexpr bool returns_bool() {
  using Object = decltype(function_of<Function>(Constants<float>()));
  if constexpr (operand_count<Function> == 1) {
    return std::is_same_v<std::invoke_result_t<Object, float>, bool>;
  } else if constexpr (operand_count<Function> == 2) {
    return std::is_same_v<std::invoke_result_t<Object, float, float>, bool>;
  } else {
    return false;
  }
}

/// The result of a function for elements of type `T`: a bool for predicates, else a `T`.
template <class Function, class T>
using ResultOf = std::conditional_t<returns_bool<Function>(), bool, T>;

/// A number to add, subtract or multiply: integers become unsigned, whose overflow is defined, with the same bits as
/// for signed ones.
template <class T>
RHYTON_HOST_DEVICE constexpr auto modular(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(x);
  } else {
    return x;
  }
}

}  // namespace rhyton::elementwise
