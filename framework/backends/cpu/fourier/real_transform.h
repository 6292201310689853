#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <rhyton/framework/backends/cpu/fourier/parts.h>
#include <rhyton/framework/backends/cpu/fourier/transform.h>

namespace rhyton::cpu {

/// The complex numbers of a row of real ones: pairs of them, if their number is even.
constexpr std::int64_t complex_length(std::int64_t length) { return length % 2 == 0 ? length / 2 : length; }

/// Transforms of rows of `length` real numbers, at least 1, and their frequencies 0 to length / 2.
template <class T>
class RealTransform {
 public:
  /// `workspace` has 2 complex_length(length) elements for each of up to rows_together(complex_length(length)) rows.
  RealTransform(std::int64_t length, T* workspace);

  void run(const Parts<T>& to, const T* from, std::int64_t rows);
  /// The inverse, divided by the length. The imaginary parts of frequencies 0 and length / 2 do not count.
  void run_inverse(T* to, const Parts<const T>& from, std::int64_t rows);

 private:
  void split(const Parts<T>& numbers, const T* from) const;
  void join(T* to, const Parts<T>& numbers) const;
  void to_frequencies(const Parts<T>& to, const Parts<const T>& numbers) const;
  void from_frequencies(const Parts<T>& numbers, const Parts<const T>& from) const;

  std::int64_t length_;
  std::int64_t frequencies_;
  std::int64_t complex_length_;
  std::int64_t rows_together_;
  std::unique_ptr<FourierTransform<T>> transform_;
  T* workspace_;
  /// cos(2π k / length) and the sines, for pairs.
  std::vector<T> cosines_;
  std::vector<T> sines_;
};

}  // namespace rhyton::cpu
