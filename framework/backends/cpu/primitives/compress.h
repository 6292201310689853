#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <rhyton/framework/backends/cpu/primitives/vector.h>

namespace rhyton::cpu {

/// Writes those elements of one register of `values` whose index is `wanted`, contiguously, and first_offset + lane *
/// offset_step for each of them. Returns their number; whole registers are written nevertheless.
template <class T>
inline int compress_matching(const T* values, const std::uint8_t* index, std::uint8_t wanted, std::int32_t first_offset,
                             std::int32_t offset_step, T* to, std::int32_t* offsets) {
  int count = 0;
  for (int lane = 0; lane < vector_length<T>; ++lane) {
    to[count] = values[lane];
    offsets[count] = first_offset + lane * offset_step;
    count += index[lane] == wanted ? 1 : 0;
  }
  return count;
}

/// Writes those elements of one register of `values` whose offset is not `absent`, contiguously, and their offsets.
/// Returns their number; whole registers are written nevertheless.
template <class T>
inline int compress_present(const T* values, const std::int32_t* offsets, std::int32_t absent, T* to,
                            std::int32_t* offsets_to) {
  int count = 0;
  for (int lane = 0; lane < vector_length<T>; ++lane) {
    to[count] = values[lane];
    offsets_to[count] = offsets[lane];
    count += offsets[lane] != absent ? 1 : 0;
  }
  return count;
}

#if defined(__AVX512F__)
template <>
inline int compress_present<float>(const float* values, const std::int32_t* offsets, std::int32_t absent, float* to,
                                   std::int32_t* offsets_to) {
  const __m512i places = _mm512_loadu_si512(offsets);
  const __mmask16 matches = _mm512_cmpneq_epi32_mask(places, _mm512_set1_epi32(absent));
  _mm512_storeu_ps(to, _mm512_maskz_compress_ps(matches, _mm512_loadu_ps(values)));
  _mm512_storeu_si512(offsets_to, _mm512_maskz_compress_epi32(matches, places));
  return __builtin_popcount(matches);
}

template <>
inline int compress_matching<float>(const float* values, const std::uint8_t* index, std::uint8_t wanted,
                                    std::int32_t first_offset, std::int32_t offset_step, float* to,
                                    std::int32_t* offsets) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i places =
      _mm512_add_epi32(_mm512_mullo_epi32(lanes, _mm512_set1_epi32(offset_step)), _mm512_set1_epi32(first_offset));
  const __m512i cells = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(index)));
  const __mmask16 matches = _mm512_cmpeq_epi32_mask(cells, _mm512_set1_epi32(wanted));
  // First in a register: the instruction that compresses into memory is slow on some processors.
  _mm512_storeu_ps(to, _mm512_maskz_compress_ps(matches, _mm512_loadu_ps(values)));
  _mm512_storeu_si512(offsets, _mm512_maskz_compress_epi32(matches, places));
  return __builtin_popcount(matches);
}
#endif

}  // namespace rhyton::cpu
