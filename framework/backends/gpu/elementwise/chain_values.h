#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <rhyton/framework/backends/gpu/elementwise/convert.h>
#include <rhyton/framework/backends/gpu/primitives/numbers.h>

// Intermediate results of the steps of a chain: numbers of all dtypes as values of one type.

namespace rhyton::gpu {

/// An element of any dtype, stored as a float, a double or a 64-bit integer.
struct WideValue {
  std::uint64_t bits;
};

/// The type in which an element of dtype `T` is stored, where `Value` is a WideValue.
template <class T>
using Held = std::conditional_t<std::is_same_v<T, double>, double,
                                std::conditional_t<std::is_floating_point_v<Computed<T>>, float, std::int64_t>>;

/// A number as a float, or as a WideValue.
template <class Value, class Number>
__device__ inline Value hold(Number number) {
  if constexpr (std::is_same_v<Value, float>) {
    return static_cast<float>(number);
  } else {
    Value value{};
    std::memcpy(&value.bits, &number, sizeof(number));
    return value;
  }
}

template <class Number, class Value>
__device__ inline Number held_number(const Value& value) {
  if constexpr (std::is_same_v<Value, float>) {
    return static_cast<Number>(value);
  } else {
    Number number;
    std::memcpy(&number, &value.bits, sizeof(number));
    return number;
  }
}

/// An element as a value.
template <class Value, class T>
__device__ inline Value hold_element(const T& element) {
  if constexpr (std::is_same_v<Value, float>) {
    return static_cast<float>(number(element));
  } else {
    return hold<Value>(static_cast<Held<T>>(number(element)));
  }
}

/// An element from the value that `hold_element` returned.
template <class T, class Value>
__device__ inline T released(const Value& value) {
  if constexpr (std::is_same_v<Value, float>) {
    return convert<T>(value);
  } else {
    return convert<T>(held_number<Held<T>>(value));
  }
}

template <class Value>
__device__ inline bool is_true(const Value& value) {
  if constexpr (std::is_same_v<Value, float>) {
    return value != 0.0F;
  } else {
    return value.bits != 0;
  }
}

/// Calls body(an element) for the type of a dtype. Only those that fit in a float if values are floats.
template <class Value, class Body>
__device__ inline void with_type(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::float32:
      return body(float());
    case DType::float16:
      return body(Half());
    case DType::bfloat16:
      return body(BFloat16());
    case DType::uint8:
      return body(std::uint8_t());
    case DType::bool_:
      return body(bool());
    case DType::int8:
      return body(std::int8_t());
    case DType::int16:
      return body(std::int16_t());
    case DType::uint16:
      return body(std::uint16_t());
    case DType::float64:
      if constexpr (std::is_same_v<Value, WideValue>) body(double());
      return;
    case DType::int32:
      if constexpr (std::is_same_v<Value, WideValue>) body(std::int32_t());
      return;
    case DType::int64:
      if constexpr (std::is_same_v<Value, WideValue>) body(std::int64_t());
      return;
    case DType::uint32:
      if constexpr (std::is_same_v<Value, WideValue>) body(std::uint32_t());
      return;
  }
}

}  // namespace rhyton::gpu
