#include <rhyton/framework/tensor/dtype.h>

#include <array>
#include <bit>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>

namespace rhyton {
namespace {

constexpr std::array<std::pair<DType, std::string_view>, 12> dtype_names = {{
    {DType::float32, "float32"},
    {DType::float64, "float64"},
    {DType::float16, "float16"},
    {DType::bfloat16, "bfloat16"},
    {DType::int32, "int32"},
    {DType::int64, "int64"},
    {DType::uint8, "uint8"},
    {DType::bool_, "bool"},
    {DType::int8, "int8"},
    {DType::int16, "int16"},
    {DType::uint16, "uint16"},
    {DType::uint32, "uint32"},
}};

/// `value` shifted right by `count` bits (below 32), rounded to nearest, ties to even.
std::uint32_t shift_right_rounded(std::uint32_t value, int count) {
  const std::uint32_t half = std::uint32_t{1} << (count - 1);
  const std::uint32_t rest = value & (half * 2 - 1);
  const std::uint32_t quotient = value >> count;
  return quotient + ((rest > half || (rest == half && (quotient & 1) != 0)) ? 1 : 0);
}

std::uint16_t half_bits_of(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U | ((magnitude >> 13) & 0x1ffU));
  if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // 65520 and above: infinity
  if (magnitude >= 0x38800000U) {
    // A carry out of the mantissa increments the exponent, which is correct for rounding up to a power of two.
    return static_cast<std::uint16_t>(sign | (shift_right_rounded(magnitude, 13) - (std::uint32_t{112} << 10)));
  }
  if (magnitude < 0x33000000U) return static_cast<std::uint16_t>(sign);  // below half of the smallest subnormal
  const int exponent = static_cast<int>(magnitude >> 23);
  const std::uint32_t mantissa = (magnitude & 0x7fffffU) | 0x800000U;
  return static_cast<std::uint16_t>(sign | shift_right_rounded(mantissa, 126 - exponent));
}

}  // namespace

Half::Half(float value) : bits(half_bits_of(value)) {}

Half::operator float() const {
  const std::uint32_t sign = (std::uint32_t{bits} & 0x8000U) << 16;
  const std::uint32_t exponent = (std::uint32_t{bits} >> 10) & 0x1fU;
  const std::uint32_t mantissa = std::uint32_t{bits} & 0x3ffU;
  if (exponent == 0x1fU) return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
  return sign != 0 ? -magnitude : magnitude;
}

BFloat16::BFloat16(float value) {
  const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
  if ((word & 0x7fffffffU) > 0x7f800000U) {
    bits = static_cast<std::uint16_t>((word >> 16) | 0x40U);  // a NaN stays one, quiet
  } else {
    bits = static_cast<std::uint16_t>(shift_right_rounded(word, 16));
  }
}

BFloat16::operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

std::string_view name_of(DType dtype) {
  for (const auto& [candidate, name] : dtype_names) {
    if (candidate == dtype) return name;
  }
  return dtype == string_dtype ? "string" : "unknown";
}

DType dtype_from_name(std::string_view name) {
  for (const auto& [dtype, candidate] : dtype_names) {
    if (candidate == name) return dtype;
  }
  throw ValueError("Invalid dtype: " + std::string(name));
}

void require_numeric(DType dtype, const char* what) {
  if (dtype == string_dtype) {
    throw TypeError(std::string(what) +
                    " takes numbers, not strings. TextVectorization, StringLookup and Hashing make numbers of them.");
  }
}

}  // namespace rhyton
