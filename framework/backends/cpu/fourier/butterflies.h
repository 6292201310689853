#pragma once

#include <cstdint>

#include <rhyton/framework/backends/cpu/primitives/vector.h>

namespace rhyton::cpu {

// Fourier transforms of a few complex numbers, in place. `E` is a number or a vector of numbers, one of each of several
// transforms, for which the arithmetic is the same.

template <class T, class E>
__attribute__((always_inline)) inline void butterfly(E (&real)[2], E (&imaginary)[2]) {
  const E difference_real = real[0] - real[1];
  const E difference_imaginary = imaginary[0] - imaginary[1];
  real[0] += real[1];
  imaginary[0] += imaginary[1];
  real[1] = difference_real;
  imaginary[1] = difference_imaginary;
}

template <class T, class E>
__attribute__((always_inline)) inline void butterfly(E (&real)[4], E (&imaginary)[4]) {
  const E even_real[] = {real[0] + real[2], real[0] - real[2]};
  const E even_imaginary[] = {imaginary[0] + imaginary[2], imaginary[0] - imaginary[2]};
  const E odd_real[] = {real[1] + real[3], real[1] - real[3]};
  const E odd_imaginary[] = {imaginary[1] + imaginary[3], imaginary[1] - imaginary[3]};
  real[0] = even_real[0] + odd_real[0];
  imaginary[0] = even_imaginary[0] + odd_imaginary[0];
  real[1] = even_real[1] + odd_imaginary[1];
  imaginary[1] = even_imaginary[1] - odd_real[1];
  real[2] = even_real[0] - odd_real[0];
  imaginary[2] = even_imaginary[0] - odd_imaginary[0];
  real[3] = even_real[1] - odd_imaginary[1];
  imaginary[3] = even_imaginary[1] + odd_real[1];
}

/// An odd number of them: the sums and differences of numbers j and radix - j, times the cosines and the sines of
/// 2π j k / radix, give numbers k and radix - k. `cosines` and `sines` have one for each remainder of j k.
template <int radix, class T, class E>
__attribute__((always_inline)) inline void odd_butterfly(E (&real)[radix], E (&imaginary)[radix], const T* cosines,
                                                         const T* sines) {
  constexpr int half = radix / 2;
  E sum_real[half];
  E sum_imaginary[half];
  E difference_real[half];
  E difference_imaginary[half];
  repeat<half>([&](auto i) __attribute__((always_inline)) {
    constexpr int j = i + 1;
    sum_real[i] = real[j] + real[radix - j];
    sum_imaginary[i] = imaginary[j] + imaginary[radix - j];
    difference_real[i] = real[j] - real[radix - j];
    difference_imaginary[i] = imaginary[j] - imaginary[radix - j];
  });
  const E first_real = real[0];
  const E first_imaginary = imaginary[0];
  repeat<half>([&](auto i) __attribute__((always_inline)) {
    real[0] += sum_real[i];
    imaginary[0] += sum_imaginary[i];
  });
  repeat<half>([&](auto i) __attribute__((always_inline)) {
    constexpr int k = i + 1;
    E even_real = first_real + sum_real[0] * cosines[k];
    E even_imaginary = first_imaginary + sum_imaginary[0] * cosines[k];
    E odd_real = difference_real[0] * sines[k];
    E odd_imaginary = difference_imaginary[0] * sines[k];
    repeat<half - 1>([&](auto rest) __attribute__((always_inline)) {
      constexpr int j = rest + 2;
      even_real += sum_real[j - 1] * cosines[j * k % radix];
      even_imaginary += sum_imaginary[j - 1] * cosines[j * k % radix];
      odd_real += difference_real[j - 1] * sines[j * k % radix];
      odd_imaginary += difference_imaginary[j - 1] * sines[j * k % radix];
    });
    real[k] = even_real + odd_imaginary;
    imaginary[k] = even_imaginary - odd_real;
    real[radix - k] = even_real - odd_imaginary;
    imaginary[radix - k] = even_imaginary + odd_real;
  });
}

}  // namespace rhyton::cpu
