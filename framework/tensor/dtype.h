#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace rhyton {

/// The type of a tensor's elements.
enum class DType : std::uint8_t { float32, float64, float16, bfloat16, int32, int64, uint8, bool_ };

inline constexpr DType float32 = DType::float32;
inline constexpr DType float64 = DType::float64;
inline constexpr DType float16 = DType::float16;
inline constexpr DType bfloat16 = DType::bfloat16;
inline constexpr DType int32 = DType::int32;
inline constexpr DType int64 = DType::int64;
inline constexpr DType uint8 = DType::uint8;
inline constexpr DType bool_ = DType::bool_;

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
      return 4;
    case DType::float16:
    case DType::bfloat16:
      return 2;
    case DType::uint8:
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

/// Writes the name.
std::ostream& operator<<(std::ostream& stream, DType dtype);

}  // namespace rhyton
