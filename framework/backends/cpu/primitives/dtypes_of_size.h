#pragma once

#include <array>
#include <cstddef>

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::cpu {

/// The dtypes whose elements have that many bytes: kernels that only copy elements are shared by them.
template <std::size_t bytes>
inline constexpr std::array dtypes_of_size = {DType::float64, DType::int64};
template <>
inline constexpr std::array dtypes_of_size<1> = {DType::uint8, DType::bool_, DType::int8};
template <>
inline constexpr std::array dtypes_of_size<2> = {DType::float16, DType::bfloat16, DType::int16, DType::uint16};
template <>
inline constexpr std::array dtypes_of_size<4> = {DType::float32, DType::int32, DType::uint32};

}  // namespace rhyton::cpu
