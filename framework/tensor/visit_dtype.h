#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/dtype.h>

namespace rhyton {

/// Calls `visitor(std::type_identity<T>())` with the C++ type `T` of the elements of `dtype`, and returns its result:
/// `visit_dtype(t.dtype(), [&]<class T>(std::type_identity<T>) { … })`.
template <class Visitor>
decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::float32:
      return std::forward<Visitor>(visitor)(std::type_identity<float>());
    case DType::float64:
      return std::forward<Visitor>(visitor)(std::type_identity<double>());
    case DType::float16:
      return std::forward<Visitor>(visitor)(std::type_identity<Half>());
    case DType::bfloat16:
      return std::forward<Visitor>(visitor)(std::type_identity<BFloat16>());
    case DType::int32:
      return std::forward<Visitor>(visitor)(std::type_identity<std::int32_t>());
    case DType::int64:
      return std::forward<Visitor>(visitor)(std::type_identity<std::int64_t>());
    case DType::uint8:
      return std::forward<Visitor>(visitor)(std::type_identity<std::uint8_t>());
    case DType::bool_:
      return std::forward<Visitor>(visitor)(std::type_identity<bool>());
    case DType::int8:
      return std::forward<Visitor>(visitor)(std::type_identity<std::int8_t>());
    case DType::int16:
      return std::forward<Visitor>(visitor)(std::type_identity<std::int16_t>());
    case DType::uint16:
      return std::forward<Visitor>(visitor)(std::type_identity<std::uint16_t>());
    case DType::uint32:
      return std::forward<Visitor>(visitor)(std::type_identity<std::uint32_t>());
  }
  throw TypeError("A tensor has a dtype that does not exist");
}

}  // namespace rhyton
