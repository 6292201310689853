#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace rhyton {

/// The type of a tensor's elements.
enum class DType : std::uint8_t {
  float32,
  float64,
  float16,
  bfloat16,
  int32,
  int64,
  uint8,
  bool_,
  int8,
  int16,
  uint16,
  uint32
};

/// All of them.
inline constexpr std::array all_dtypes = {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                                          DType::int32,   DType::int64,   DType::uint8,   DType::bool_,
                                          DType::int8,    DType::int16,   DType::uint16,  DType::uint32};

inline constexpr DType float32 = DType::float32;
inline constexpr DType float64 = DType::float64;
inline constexpr DType float16 = DType::float16;
inline constexpr DType bfloat16 = DType::bfloat16;
inline constexpr DType int32 = DType::int32;
inline constexpr DType int64 = DType::int64;
inline constexpr DType uint8 = DType::uint8;
inline constexpr DType bool_ = DType::bool_;
inline constexpr DType int8 = DType::int8;
inline constexpr DType int16 = DType::int16;
inline constexpr DType uint16 = DType::uint16;
inline constexpr DType uint32 = DType::uint32;

/// An IEEE 754 half-precision number as stored; arithmetic goes through float.
struct Half {
  std::uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  explicit operator float() const;
};

/// A bfloat16 number (the upper half of a float) as stored; arithmetic goes through float.
struct BFloat16 {
  std::uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value);
  explicit operator float() const;
};

/// The bytes of one element.
constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
    case DType::int64:
      return 8;
    case DType::float32:
    case DType::int32:
    case DType::uint32:
      return 4;
    case DType::float16:
    case DType::bfloat16:
    case DType::int16:
    case DType::uint16:
      return 2;
    case DType::uint8:
    case DType::int8:
    case DType::bool_:
      return 1;
  }
  return 0;
}

/// Whether it is float32, float64, float16 or bfloat16.
constexpr bool is_floating(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float64 || dtype == DType::float16 || dtype == DType::bfloat16;
}

/// Whether elements are stored in 16 bits and computed with in float32.
constexpr bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

/// Whether it is an integer; bool is none.
constexpr bool is_integer(DType dtype) { return !is_floating(dtype) && dtype != DType::bool_; }

/// Whether it is an integer without negative numbers.
constexpr bool is_unsigned(DType dtype) {
  return dtype == DType::uint8 || dtype == DType::uint16 || dtype == DType::uint32;
}

/// Whether it is bool or an integer of fewer than 32 bits, whose sums and products are made in wider integers.
constexpr bool is_short(DType dtype) { return !is_floating(dtype) && size_of(dtype) < size_of(DType::int32); }

/// The dtype in which elements of `dtype` are computed with where there is no kernel for them, or `dtype` itself:
/// float32 for half types, for int8, int16 and uint16 int32, for uint32 int64. It has all numbers of `dtype`, and sums
/// and products of integers in it have the same last bits.
constexpr DType computing_dtype(DType dtype) {
  switch (dtype) {
    case DType::float16:
    case DType::bfloat16:
      return DType::float32;
    case DType::int8:
    case DType::int16:
    case DType::uint16:
      return DType::int32;
    case DType::uint32:
      return DType::int64;
    default:
      return dtype;
  }
}

/// Keras's name: "float32", …, "bool".
std::string_view name_of(DType dtype);

/// The dtype of that name. Throws ValueError for an unknown name.
DType dtype_from_name(std::string_view name);

/// The dtype that holds elements of the C++ type `T`.
template <class T>
inline constexpr DType dtype_of = T::no_dtype_for_this_type;
template <>
inline constexpr DType dtype_of<float> = DType::float32;
template <>
inline constexpr DType dtype_of<double> = DType::float64;
template <>
inline constexpr DType dtype_of<Half> = DType::float16;
template <>
inline constexpr DType dtype_of<BFloat16> = DType::bfloat16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::int32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::int64;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::uint8;
template <>
inline constexpr DType dtype_of<bool> = DType::bool_;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::int8;
template <>
inline constexpr DType dtype_of<std::int16_t> = DType::int16;
template <>
inline constexpr DType dtype_of<std::uint16_t> = DType::uint16;
template <>
inline constexpr DType dtype_of<std::uint32_t> = DType::uint32;

/// Writes the name.
std::ostream& operator<<(std::ostream& stream, DType dtype);

}  // namespace rhyton
