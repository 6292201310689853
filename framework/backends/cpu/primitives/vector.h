#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace rhyton::cpu {

// The compiler's own vectors: one source for every instruction set, with arithmetic operators.

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// Elements of `T` in one register.
template <class T>
inline constexpr int vector_length = vector_bytes / static_cast<int>(sizeof(T));

template <class T, int length>
struct VectorOf {
  // NOLINTNEXTLINE(modernize-use-using): GCC drops the attribute of an alias that depends on a template parameter
  typedef T Type __attribute__((vector_size(length * sizeof(T))));
};

/// One register of `T`.
template <class T>
using Vector = typename VectorOf<T, vector_length<T>>::Type;

/// Integers as wide as `T`, the result of comparisons of its vectors.
template <class T>
using MaskElement = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
template <class T>
using MaskVector = typename VectorOf<MaskElement<T>, vector_length<T>>::Type;

/// function(0), …, function(count - 1) with constants: loops over registers are unrolled in the source, because
/// otherwise the compiler keeps the registers in memory.
template <int count, class Function>
__attribute__((always_inline)) constexpr void repeat(Function&& function) {
  [&]<int... index>(std::integer_sequence<int, index...>) __attribute__((always_inline)) {
    (function(std::integral_constant<int, index>()), ...);
  }
  (std::make_integer_sequence<int, count>());
}

template <class T>
__attribute__((always_inline)) inline void load(Vector<T>& vector, const T* from) {
  std::memcpy(&vector, from, sizeof(vector));
}

template <class T>
__attribute__((always_inline)) inline void store(T* to, const Vector<T>& vector) {
  std::memcpy(to, &vector, sizeof(vector));
}

/// The first `count` elements; the others are zero.
template <class T>
void load_part(Vector<T>& vector, const T* from, int count) {
  vector = Vector<T>{};
  for (int i = 0; i < count; ++i) vector[i] = from[i];
}

template <class T>
void store_part(T* to, const Vector<T>& vector, int count) {
  for (int i = 0; i < count; ++i) to[i] = vector[i];
}

/// f(f(…), f(…)): the elements of a vector combined pair by pair, halves first. `f` takes vectors and elements.
template <class T, int length, class Function>
__attribute__((always_inline)) inline T combine_elements(const typename VectorOf<T, length>::Type& vector,
                                                         const Function& f) {
  if constexpr (length == 2) {
    return f(T(vector[0]), T(vector[1]));
  } else {
    return [&]<int... lane>(std::integer_sequence<int, lane...>) __attribute__((always_inline)) {
      return combine_elements<T, length / 2>(f(__builtin_shufflevector(vector, vector, lane...),
                                               __builtin_shufflevector(vector, vector, (lane + length / 2)...)),
                                             f);
    }
    (std::make_integer_sequence<int, length / 2>());
  }
}

}  // namespace rhyton::cpu
