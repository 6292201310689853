#pragma once

// Functions of numbers that CUDA provides to kernels without a header, besides those of <math.h>.

#include <math.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

// The smaller and the larger of two numbers; for a number and NaN the number.

constexpr int min(const int a, const int b) { return b < a ? b : a; }
constexpr int max(const int a, const int b) { return a < b ? b : a; }
constexpr unsigned int min(const unsigned int a, const unsigned int b) { return b < a ? b : a; }
constexpr unsigned int max(const unsigned int a, const unsigned int b) { return a < b ? b : a; }
constexpr long int min(const long int a, const long int b) { return b < a ? b : a; }
constexpr long int max(const long int a, const long int b) { return a < b ? b : a; }
constexpr unsigned long int min(const unsigned long int a, const unsigned long int b) { return b < a ? b : a; }
constexpr unsigned long int max(const unsigned long int a, const unsigned long int b) { return a < b ? b : a; }
constexpr long long int min(const long long int a, const long long int b) { return b < a ? b : a; }
constexpr long long int max(const long long int a, const long long int b) { return a < b ? b : a; }
constexpr unsigned long long int min(const unsigned long long int a, const unsigned long long int b) {
  return b < a ? b : a;
}
constexpr unsigned long long int max(const unsigned long long int a, const unsigned long long int b) {
  return a < b ? b : a;
}
inline float min(const float a, const float b) { return ::fminf(a, b); }
inline float max(const float a, const float b) { return ::fmaxf(a, b); }
inline double min(const double a, const double b) { return std::fmin(a, b); }
inline double max(const double a, const double b) { return std::fmax(a, b); }
inline double min(const float a, const double b) { return std::fmin(static_cast<double>(a), b); }
inline double max(const float a, const double b) { return std::fmax(static_cast<double>(a), b); }
inline double min(const double a, const float b) { return std::fmin(a, static_cast<double>(b)); }
inline double max(const double a, const float b) { return std::fmax(a, static_cast<double>(b)); }

inline float rsqrtf(float x) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x))); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return static_cast<float>(1.0 / std::cbrt(static_cast<double>(x))); }
inline double rcbrt(double x) { return 1.0 / std::cbrt(x); }
inline double sinpi(double x) { return std::sin(3.14159265358979323846 * std::fmod(x, 2.0)); }
inline double cospi(double x) { return std::cos(3.14159265358979323846 * std::fmod(x, 2.0)); }
inline float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
inline float normcdff(float x) { return static_cast<float>(0.5 * std::erfc(-0.70710678118654752440 * x)); }
inline double normcdf(double x) { return 0.5 * std::erfc(-0.70710678118654752440 * x); }

// Fast forms, which are no faster and more exact here.
inline float __expf(float x) { return ::expf(x); }
inline float __exp10f(float x) { return static_cast<float>(std::pow(10.0, static_cast<double>(x))); }
inline float __logf(float x) { return ::logf(x); }
inline float __log2f(float x) { return ::log2f(x); }
inline float __log10f(float x) { return ::log10f(x); }
inline float __powf(float x, float y) { return ::powf(x, y); }
inline float __sinf(float x) { return ::sinf(x); }
inline float __cosf(float x) { return ::cosf(x); }
inline float __tanf(float x) { return ::tanf(x); }
inline float __tanhf(float x) { return ::tanhf(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// Arithmetic that the compiler may not fuse, rounded to the nearest. A volatile prevents fusion by the host's compiler.
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) {
  const volatile float product = x * y;
  return product;
}
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return ::sqrtf(x); }
inline float __frsqrt_rn(float x) { return rsqrtf(x); }
inline float __fmaf_rn(float x, float y, float z) { return ::fmaf(x, y, z); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) {
  const volatile double product = x * y;
  return product;
}
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }

// Bits of numbers.
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned int __float_as_uint(float x) { return std::bit_cast<unsigned int>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned int x) { return std::bit_cast<float>(x); }
inline long long int __double_as_longlong(double x) { return std::bit_cast<long long int>(x); }
inline double __longlong_as_double(long long int x) { return std::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>((static_cast<std::uint64_t>(static_cast<unsigned int>(high)) << 32) |
                               static_cast<unsigned int>(low));
}

namespace rhyton::cuda_emulation {

/// An integral number as an integer; too large ones saturate and NaN becomes 0, as in CUDA.
template <class Integer, class Number>
Integer whole_to_integer(Number number) {
  if (std::isnan(number)) return 0;
  const auto beyond = std::ldexp(Number(1), std::numeric_limits<Integer>::digits);
  if (number >= beyond) return std::numeric_limits<Integer>::max();
  if (number < static_cast<Number>(std::numeric_limits<Integer>::min())) return std::numeric_limits<Integer>::min();
  return static_cast<Integer>(number);
}

}  // namespace rhyton::cuda_emulation

// Conversions: to the nearest (rn), towards zero (rz), down (rd) and up (ru).
inline int __float2int_rn(float x) { return rhyton::cuda_emulation::whole_to_integer<int>(std::nearbyint(x)); }
inline int __float2int_rz(float x) { return rhyton::cuda_emulation::whole_to_integer<int>(std::trunc(x)); }
inline int __float2int_rd(float x) { return rhyton::cuda_emulation::whole_to_integer<int>(std::floor(x)); }
inline int __float2int_ru(float x) { return rhyton::cuda_emulation::whole_to_integer<int>(std::ceil(x)); }
inline unsigned int __float2uint_rn(float x) {
  return rhyton::cuda_emulation::whole_to_integer<unsigned int>(std::nearbyint(x));
}
inline unsigned int __float2uint_rz(float x) {
  return rhyton::cuda_emulation::whole_to_integer<unsigned int>(std::trunc(x));
}
inline long long int __float2ll_rz(float x) {
  return rhyton::cuda_emulation::whole_to_integer<long long int>(std::trunc(x));
}
inline int __double2int_rn(double x) { return rhyton::cuda_emulation::whole_to_integer<int>(std::nearbyint(x)); }
inline int __double2int_rz(double x) { return rhyton::cuda_emulation::whole_to_integer<int>(std::trunc(x)); }
inline long long int __double2ll_rn(double x) {
  return rhyton::cuda_emulation::whole_to_integer<long long int>(std::nearbyint(x));
}
inline long long int __double2ll_rz(double x) {
  return rhyton::cuda_emulation::whole_to_integer<long long int>(std::trunc(x));
}
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned int x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long int x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long int x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned int x) { return x; }
inline double __ll2double_rn(long long int x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long int x) { return static_cast<double>(x); }

// Integers.
inline unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<std::uint64_t>(x) * y) >> 32);
}
inline int __mulhi(int x, int y) { return static_cast<int>((static_cast<std::int64_t>(x) * y) >> 32); }
inline unsigned long long int __umul64hi(unsigned long long int x, unsigned long long int y) {
  __extension__ using Product = unsigned __int128;
  return static_cast<unsigned long long int>((static_cast<Product>(x) * y) >> 64);
}
inline int __popc(unsigned int x) { return std::popcount(x); }
inline int __popcll(unsigned long long int x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned int>(x)); }
inline int __clzll(long long int x) { return std::countl_zero(static_cast<unsigned long long int>(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned int>(x)) + 1; }
inline int __ffsll(long long int x) {
  return x == 0 ? 0 : std::countr_zero(static_cast<unsigned long long int>(x)) + 1;
}
inline unsigned int __brev(unsigned int x) {
  unsigned int reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= ((x >> bit) & 1u) << (31 - bit);
  return reversed;
}
inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  shift &= 31;
  return shift == 0 ? high : (high << shift) | (low >> (32 - shift));
}
inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  shift &= 31;
  return shift == 0 ? low : (high << (32 - shift)) | (low >> shift);
}

// Loads and stores with cache hints.
template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
void __stcs(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <class T>
void __stcg(T* address, std::type_identity_t<T> value) {
  *address = value;
}
