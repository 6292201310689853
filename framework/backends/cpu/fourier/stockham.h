#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <rhyton/framework/backends/cpu/fourier/butterflies.h>
#include <rhyton/framework/backends/cpu/fourier/parts.h>
#include <rhyton/framework/backends/cpu/fourier/roots_of_unity.h>
#include <rhyton/framework/backends/cpu/primitives/vector.h>

namespace rhyton::cpu {

/// Fourier transforms of numbers in a cache: self-sorting passes, one for each factor of the length (T. G. Stockham,
/// "High-speed convolution and correlation", 1966). A transform has the same bits alone and as a lane of many.
template <class T>
class StockhamTransform {
 public:
  static constexpr std::int64_t lanes = vector_length<T>;
  /// The time is n·p for a prime factor p.
  static constexpr std::int64_t largest_factor = 100;

  explicit StockhamTransform(std::int64_t length) {
    const std::vector<std::complex<double>> roots = roots_of_unity(length);
    numbers_.reserve(static_cast<std::size_t>(2 * length));
    std::int64_t rest = length;
    while (rest > 1) {
      Pass pass;
      pass.radix = factor_of(rest);
      pass.stride = length / rest;
      rest /= pass.radix;
      pass.parts = rest;
      pass.constants = numbers_.size();
      if (pass.radix % 2 == 1) {
        const std::int64_t step = length / pass.radix;
        for (std::int64_t k = 0; k < pass.radix; ++k) append(root(roots, k * step).real());
        for (std::int64_t k = 0; k < pass.radix; ++k) append(-root(roots, k * step).imag());
      }
      pass.twiddles = numbers_.size();
      for (std::int64_t part = 0; part < pass.parts; ++part) {
        for (std::int64_t k = 1; k < pass.radix; ++k) {
          const std::complex<double>& twiddle = root(roots, part * k * pass.stride);
          append(twiddle.real());
          append(twiddle.imag());
        }
      }
      passes_.push_back(pass);
    }
  }

  /// Transforms that are the lanes of vectors, number i at i * lanes. Returns where the results are: `x`, or `y`, to
  /// which it also writes.
  Parts<T> run_lanes(Parts<T> x, Parts<T> y) const {
    for (const Pass& pass : passes_) {
      run_pass<Vector<T>>(pass, pass.stride, x, y);
      std::swap(x, y);
    }
    return x;
  }

  /// One transform.
  Parts<T> run_one(Parts<T> x, Parts<T> y) const {
    for (const Pass& pass : passes_) {
      if (pass.stride % lanes == 0) {
        run_pass<Vector<T>>(pass, pass.stride / lanes, x, y);
      } else {
        run_pass<T>(pass, pass.stride, x, y);
      }
      std::swap(x, y);
    }
    return x;
  }

 private:
  struct Pass {
    std::int64_t radix = 0;
    /// The length of the transforms that remain, and the number of those that are done.
    std::int64_t parts = 0;
    std::int64_t stride = 0;
    /// Where their numbers begin.
    std::size_t constants = 0;
    std::size_t twiddles = 0;
  };

  static const std::complex<double>& root(const std::vector<std::complex<double>>& roots, std::int64_t power) {
    return roots[static_cast<std::size_t>(power)];
  }

  void append(double number) { numbers_.push_back(static_cast<T>(number)); }

  /// Powers of two first: the strides are then multiples of `lanes` early.
  static std::int64_t factor_of(std::int64_t number) {
    if (number % 4 == 0) return 4;
    std::int64_t factor = 2;
    while (number % factor != 0) ++factor;
    return factor;
  }

  template <class E>
  void run_pass(const Pass& pass, std::int64_t stride, const Parts<T>& x, const Parts<T>& y) const {
    switch (pass.radix) {
      case 2:
        return run_radix<2, E>(pass, stride, x, y);
      case 3:
        return run_radix<3, E>(pass, stride, x, y);
      case 4:
        return run_radix<4, E>(pass, stride, x, y);
      case 5:
        return run_radix<5, E>(pass, stride, x, y);
      case 7:
        return run_radix<7, E>(pass, stride, x, y);
      default:
        return run_any<E>(pass, stride, x, y);
    }
  }

  template <int radix, class E>
  void run_radix(const Pass& pass, std::int64_t stride, const Parts<T>& x, const Parts<T>& y) const {
    constexpr std::int64_t width = std::is_same_v<E, T> ? 1 : vector_length<T>;
    const T* const constants = numbers_.data() + pass.constants;
    const T* twiddles = numbers_.data() + pass.twiddles;
    const std::int64_t distance = stride * width;
    const std::int64_t from_distance = distance * pass.parts;
    for (std::int64_t part = 0; part < pass.parts; ++part) {
      const Parts<T> from = x.at(part * distance);
      const Parts<T> to = y.at(part * radix * distance);
      const auto step = [&]<bool is_first>(std::int64_t i, std::bool_constant<is_first>)
          __attribute__((always_inline)) {
        E real[radix];
        E imaginary[radix];
        repeat<radix>([&](auto j) __attribute__((always_inline)) {
          std::memcpy(&real[j], from.real + i + j * from_distance, sizeof(E));
          std::memcpy(&imaginary[j], from.imaginary + i + j * from_distance, sizeof(E));
        });
        if constexpr (radix % 2 == 0) {
          butterfly<T>(real, imaginary);
        } else {
          odd_butterfly<radix, T>(real, imaginary, constants, constants + radix);
        }
        repeat<radix>([&](auto k) __attribute__((always_inline)) {
          if constexpr (k > 0 && !is_first) {
            const T cosine = twiddles[2 * k - 2];
            const T sine = twiddles[2 * k - 1];
            const E before = real[k];
            real[k] = before * cosine - imaginary[k] * sine;
            imaginary[k] = before * sine + imaginary[k] * cosine;
          }
          std::memcpy(to.real + i + k * distance, &real[k], sizeof(E));
          std::memcpy(to.imaginary + i + k * distance, &imaginary[k], sizeof(E));
        });
      };
      if (part == 0) {
        for (std::int64_t i = 0; i < distance; i += width) step(i, std::true_type());
      } else {
        for (std::int64_t i = 0; i < distance; i += width) step(i, std::false_type());
      }
      twiddles += 2 * (radix - 1);
    }
  }

  /// For any odd radix.
  template <class E>
  void run_any(const Pass& pass, std::int64_t stride, const Parts<T>& x, const Parts<T>& y) const {
    constexpr std::int64_t width = std::is_same_v<E, T> ? 1 : vector_length<T>;
    const std::int64_t radix = pass.radix;
    const T* const cosines = numbers_.data() + pass.constants;
    const T* const sines = cosines + radix;
    const T* twiddles = numbers_.data() + pass.twiddles;
    const std::int64_t distance = stride * width;
    const std::int64_t half = radix / 2;
    E sums[largest_factor / 2][2];
    E differences[largest_factor / 2][2];
    const auto load_at = [](E & element, const T* from) __attribute__((always_inline)) {
      std::memcpy(&element, from, sizeof(E));
    };
    for (std::int64_t part = 0; part < pass.parts; ++part) {
      for (std::int64_t i = 0; i < distance; i += width) {
        const Parts<T> from = x.at(part * distance + i);
        const Parts<T> to = y.at(part * radix * distance + i);
        E first[2];
        load_at(first[0], from.real);
        load_at(first[1], from.imaginary);
        E total[2] = {first[0], first[1]};
        for (std::int64_t j = 1; j <= half; ++j) {
          const std::int64_t a = j * distance * pass.parts;
          const std::int64_t b = (radix - j) * distance * pass.parts;
          E left;
          E right;
          load_at(left, from.real + a);
          load_at(right, from.real + b);
          sums[j - 1][0] = left + right;
          differences[j - 1][0] = left - right;
          load_at(left, from.imaginary + a);
          load_at(right, from.imaginary + b);
          sums[j - 1][1] = left + right;
          differences[j - 1][1] = left - right;
          total[0] += sums[j - 1][0];
          total[1] += sums[j - 1][1];
        }
        std::memcpy(to.real, &total[0], sizeof(E));
        std::memcpy(to.imaginary, &total[1], sizeof(E));
        const auto write = [&](std::int64_t k, const E& real, const E& imaginary) __attribute__((always_inline)) {
          const T cosine = twiddles[2 * k - 2];
          const T sine = twiddles[2 * k - 1];
          const E result_real = real * cosine - imaginary * sine;
          const E result_imaginary = real * sine + imaginary * cosine;
          std::memcpy(to.real + k * distance, &result_real, sizeof(E));
          std::memcpy(to.imaginary + k * distance, &result_imaginary, sizeof(E));
        };
        for (std::int64_t k = 1; k <= half; ++k) {
          E even[2] = {first[0], first[1]};
          E odd[2] = {};
          std::int64_t remainder = 0;
          for (std::int64_t j = 0; j < half; ++j) {
            remainder += k;
            if (remainder >= radix) remainder -= radix;
            even[0] += sums[j][0] * cosines[remainder];
            even[1] += sums[j][1] * cosines[remainder];
            odd[0] += differences[j][0] * sines[remainder];
            odd[1] += differences[j][1] * sines[remainder];
          }
          write(k, even[0] + odd[1], even[1] - odd[0]);
          write(radix - k, even[0] - odd[1], even[1] + odd[0]);
        }
      }
      twiddles += 2 * (radix - 1);
    }
  }

  std::vector<Pass> passes_;
  std::vector<T> numbers_;
};

}  // namespace rhyton::cpu
