#include <rhyton/framework/backends/cpu/fourier/real_transform.h>

#include <algorithm>
#include <complex>

#include <rhyton/framework/backends/cpu/fourier/roots_of_unity.h>

namespace rhyton::cpu {

// An even number of real numbers x_n is transformed as half as many complex ones, z_n = x_2n + i x_2n+1: with their
// transform Z of length M the frequencies are X_k = E_k + e^(-πi k / M) O_k, where E_k = (Z_k + Z̄_M-k) / 2 and
// O_k = (Z_k - Z̄_M-k) / 2i are the transforms of the numbers at even and odd places. An odd number is transformed with
// imaginary parts of zero.

template <class T>
RealTransform<T>::RealTransform(std::int64_t length, T* workspace)
    : length_(length),
      frequencies_(length / 2 + 1),
      complex_length_(complex_length(length)),
      rows_together_(rows_together<T>(complex_length_)),
      transform_(make_fourier_transform<T>(complex_length_)),
      workspace_(workspace) {
  if (length % 2 != 0) return;
  std::vector<std::complex<double>> roots = roots_of_unity(length);
  roots.resize(static_cast<std::size_t>(complex_length_));
  for (const std::complex<double>& root : roots) {
    cosines_.push_back(static_cast<T>(root.real()));
    sines_.push_back(static_cast<T>(-root.imag()));
  }
}

template <class T>
void RealTransform<T>::run(const Parts<T>& to, const T* from, std::int64_t rows) {
  for (std::int64_t first = 0; first < rows; first += rows_together_) {
    const std::int64_t count = std::min(rows_together_, rows - first);
    const Parts<T> all = {workspace_, workspace_ + count * complex_length_};
    for (std::int64_t i = 0; i < count; ++i) split(all.at(i * complex_length_), from + (first + i) * length_);
    transform_->run(all, complex_length_, all, complex_length_, count);
    for (std::int64_t i = 0; i < count; ++i) {
      to_frequencies(to.at((first + i) * frequencies_), all.at(i * complex_length_));
    }
  }
}

template <class T>
void RealTransform<T>::run_inverse(T* to, const Parts<const T>& from, std::int64_t rows) {
  for (std::int64_t first = 0; first < rows; first += rows_together_) {
    const std::int64_t count = std::min(rows_together_, rows - first);
    const Parts<T> all = {workspace_, workspace_ + count * complex_length_};
    for (std::int64_t i = 0; i < count; ++i) {
      from_frequencies(all.at(i * complex_length_), from.at((first + i) * frequencies_));
    }
    transform_->run(all.swapped(), complex_length_, all.swapped(), complex_length_, count);
    for (std::int64_t i = 0; i < count; ++i) join(to + (first + i) * length_, all.at(i * complex_length_));
  }
}

template <class T>
void RealTransform<T>::split(const Parts<T>& numbers, const T* from) const {
  if (length_ % 2 != 0) {
    std::copy_n(from, length_, numbers.real);
    std::fill_n(numbers.imaginary, length_, T(0));
    return;
  }
  for (std::int64_t i = 0; i < complex_length_; ++i) {
    numbers.real[i] = from[2 * i];
    numbers.imaginary[i] = from[2 * i + 1];
  }
}

template <class T>
void RealTransform<T>::join(T* to, const Parts<T>& numbers) const {
  const T scale = T(1) / static_cast<T>(length_);
  if (length_ % 2 != 0) {
    for (std::int64_t i = 0; i < length_; ++i) to[i] = numbers.real[i] * scale;
    return;
  }
  for (std::int64_t i = 0; i < complex_length_; ++i) {
    to[2 * i] = numbers.real[i] * scale;
    to[2 * i + 1] = numbers.imaginary[i] * scale;
  }
}

template <class T>
void RealTransform<T>::to_frequencies(const Parts<T>& to, const Parts<const T>& numbers) const {
  if (length_ % 2 != 0) {
    std::copy_n(numbers.real, frequencies_, to.real);
    std::copy_n(numbers.imaginary, frequencies_, to.imaginary);
    to.imaginary[0] = T(0);
    return;
  }
  to.real[0] = numbers.real[0] + numbers.imaginary[0];
  to.imaginary[0] = T(0);
  to.real[complex_length_] = numbers.real[0] - numbers.imaginary[0];
  to.imaginary[complex_length_] = T(0);
  for (std::int64_t k = 1; k < complex_length_; ++k) {
    const std::int64_t mirrored = complex_length_ - k;
    const T even_real = numbers.real[k] + numbers.real[mirrored];
    const T even_imaginary = numbers.imaginary[k] - numbers.imaginary[mirrored];
    const T odd_real = numbers.imaginary[k] + numbers.imaginary[mirrored];
    const T odd_imaginary = numbers.real[mirrored] - numbers.real[k];
    const T rotated_real =
        cosines_[static_cast<std::size_t>(k)] * odd_real + sines_[static_cast<std::size_t>(k)] * odd_imaginary;
    const T rotated_imaginary =
        cosines_[static_cast<std::size_t>(k)] * odd_imaginary - sines_[static_cast<std::size_t>(k)] * odd_real;
    to.real[k] = T(0.5) * (even_real + rotated_real);
    to.imaginary[k] = T(0.5) * (even_imaginary + rotated_imaginary);
  }
}

template <class T>
void RealTransform<T>::from_frequencies(const Parts<T>& numbers, const Parts<const T>& from) const {
  if (length_ % 2 != 0) {
    std::copy_n(from.real, frequencies_, numbers.real);
    std::copy_n(from.imaginary, frequencies_, numbers.imaginary);
    numbers.imaginary[0] = T(0);
    for (std::int64_t k = 1; k < frequencies_; ++k) {
      numbers.real[length_ - k] = from.real[k];
      numbers.imaginary[length_ - k] = -from.imaginary[k];
    }
    return;
  }
  numbers.real[0] = from.real[0] + from.real[complex_length_];
  numbers.imaginary[0] = from.real[0] - from.real[complex_length_];
  for (std::int64_t k = 1; k < complex_length_; ++k) {
    const std::int64_t mirrored = complex_length_ - k;
    const T even_real = from.real[k] + from.real[mirrored];
    const T even_imaginary = from.imaginary[k] - from.imaginary[mirrored];
    const T odd_real = from.real[k] - from.real[mirrored];
    const T odd_imaginary = from.imaginary[k] + from.imaginary[mirrored];
    const T cosine = cosines_[static_cast<std::size_t>(k)];
    const T sine = sines_[static_cast<std::size_t>(k)];
    numbers.real[k] = even_real - (sine * odd_real + cosine * odd_imaginary);
    numbers.imaginary[k] = even_imaginary + (cosine * odd_real - sine * odd_imaginary);
  }
}

template class RealTransform<float>;
template class RealTransform<double>;

}  // namespace rhyton::cpu
