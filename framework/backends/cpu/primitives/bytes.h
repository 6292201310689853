#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <rhyton/framework/backends/cpu/primitives/vector.h>

namespace rhyton::cpu {

// Conversions between bytes and the integers of a register, one to one. By an instruction where there is one: the
// compiler's conversion of vectors of different lengths handles every element separately.

/// One register of integers from equally many bytes.
template <class T>
inline void load_bytes(MaskVector<T>& to, const std::uint8_t* from) {
  for (int i = 0; i < vector_length<T>; ++i) to[i] = from[i];
}

/// The low bytes of one register of integers.
template <class T>
inline void store_bytes(std::uint8_t* to, const MaskVector<T>& from) {
  for (int i = 0; i < vector_length<T>; ++i) to[i] = static_cast<std::uint8_t>(from[i]);
}

#if defined(__AVX512F__)
template <>
inline void load_bytes<float>(MaskVector<float>& to, const std::uint8_t* from) {
  to = reinterpret_cast<MaskVector<float>>(
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
}
template <>
inline void store_bytes<float>(std::uint8_t* to, const MaskVector<float>& from) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(reinterpret_cast<__m512i>(from)));
}
#elif defined(__AVX2__)
template <>
inline void load_bytes<float>(MaskVector<float>& to, const std::uint8_t* from) {
  to = reinterpret_cast<MaskVector<float>>(
      _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
}
template <>
inline void store_bytes<float>(std::uint8_t* to, const MaskVector<float>& from) {
  const __m256i integers = reinterpret_cast<__m256i>(from);
  const __m128i shorts = _mm_packus_epi32(_mm256_castsi256_si128(integers), _mm256_extracti128_si256(integers, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(shorts, shorts));
}
#endif

}  // namespace rhyton::cpu
