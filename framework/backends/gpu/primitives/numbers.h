#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::gpu {

/// The type in which a kernel computes with elements of type `T` (the types of `rhyton::dtype_of`): float for the half
/// types, else `T` itself.
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

/// An element as the number to compute with.
template <class T>
__host__ __device__ inline Computed<T> number(const T& element) {
  if constexpr (std::is_same_v<T, Half>) {
    return __half2float(__half(__half_raw{element.bits}));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return __bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{element.bits}));
  } else {
    return element;
  }
}

/// The element that is closest to a number.
template <class T>
__host__ __device__ inline T element(Computed<T> number) {
  if constexpr (std::is_same_v<T, Half>) {
    T result;
    result.bits = static_cast<__half_raw>(__float2half_rn(number)).x;
    return result;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    T result;
    // Rounding two at once uses a faster instruction than rounding one.
    result.bits = static_cast<__nv_bfloat16_raw>(__floats2bfloat162_rn(number, 0.0F).x).x;
    return result;
  } else {
    return number;
  }
}

}  // namespace rhyton::gpu
