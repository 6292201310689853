#include <rhyton/framework/backends/cpu/fourier/transform.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace rhyton::cpu {
namespace {

/// Longer transforms leave the cache.
constexpr std::int64_t longest_in_cache = 1 << 14;
/// Eigen's transform takes n·p for a prime factor p.
constexpr std::int64_t largest_prime_factor = 100;
/// Columns, or rows, that a pass takes together: whole cache lines of a matrix.
constexpr std::int64_t block = 16;

/// A product without the search for infinities of the standard's operator.
template <class T>
std::complex<T> product(const std::complex<T>& a, const std::complex<T>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// e^(±2πi numerator / denominator), minus unless `inverse`.
std::complex<double> root_of_unity(std::int64_t numerator, std::int64_t denominator, bool inverse) {
  const double angle = 2.0 * std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(denominator);
  return std::polar(1.0, inverse ? angle : -angle);
}

std::int64_t greatest_prime_factor(std::int64_t number) {
  std::int64_t greatest = 1;
  for (std::int64_t factor = 2; factor * factor <= number; ++factor) {
    for (; number % factor == 0; number /= factor) greatest = factor;
  }
  return std::max(greatest, number);
}

/// The greatest divisor up to the square root.
std::int64_t middle_divisor(std::int64_t number) {
  auto divisor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(number)));
  while (number % divisor != 0) --divisor;
  return divisor;
}

/// Eigen's kissfft.
template <class T>
class DirectTransform final : public FourierTransform<T> {
 public:
  DirectTransform(std::int64_t length, bool inverse)
      : length_(length), inverse_(inverse), fourier_(Eigen::default_fft_impl<T>(), Eigen::FFT<T>::Unscaled) {}

  void run(std::complex<T>* to, const std::complex<T>* from) override {
    if (length_ == 1) {  // Eigen's factors begin at 2
      *to = *from;
    } else if (inverse_) {
      fourier_.inv(to, from, length_);
    } else {
      fourier_.fwd(to, from, length_);
    }
  }

 private:
  std::int64_t length_;
  bool inverse_;
  Eigen::FFT<T> fourier_;
};

/// A long transform as those of the columns of a matrix, a factor for each element, and those of its rows (D. H. Bailey,
/// "FFTs in External or Hierarchical Memory", 1990).
template <class T>
class TwoPassTransform final : public FourierTransform<T> {
 public:
  TwoPassTransform(std::int64_t rows, std::int64_t columns, bool inverse)
      : rows_(rows),
        columns_(columns),
        of_columns_(make_fourier_transform<T>(rows, inverse)),
        of_rows_(make_fourier_transform<T>(columns, inverse)),
        matrix_(static_cast<std::size_t>(rows * columns)),
        given_(static_cast<std::size_t>(rows)),
        results_(static_cast<std::size_t>(block * std::max(rows, columns))) {
    const std::int64_t length = rows * columns;
    for (std::int64_t i = 0; i < columns; ++i) fine_.push_back(root_of_unity(i, length, inverse));
    for (std::int64_t i = 0; i < rows; ++i) coarse_.push_back(root_of_unity(i, rows, inverse));
  }

  void run(std::complex<T>* to, const std::complex<T>* from) override {
    for (std::int64_t first = 0; first < columns_; first += block) {
      const std::int64_t count = std::min(block, columns_ - first);
      for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t row = 0; row < rows_; ++row) given_[index(row)] = from[row * columns_ + first + i];
        of_columns_->run(result(i), given_.data());
      }
      for (std::int64_t row = 0; row < rows_; ++row) {
        for (std::int64_t i = 0; i < count; ++i) {
          matrix_[index(row * columns_ + first + i)] = product(result(i)[row], factor(row * (first + i)));
        }
      }
    }
    for (std::int64_t first = 0; first < rows_; first += block) {
      const std::int64_t count = std::min(block, rows_ - first);
      for (std::int64_t i = 0; i < count; ++i) of_rows_->run(result(i), &matrix_[index((first + i) * columns_)]);
      for (std::int64_t column = 0; column < columns_; ++column) {
        for (std::int64_t i = 0; i < count; ++i) to[column * rows_ + first + i] = result(i)[column];
      }
    }
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::complex<T>* result(std::int64_t i) { return &results_[index(i * std::max(rows_, columns_))]; }
  /// The root of unity of the whole length to that power.
  std::complex<T> factor(std::int64_t power) const {
    return std::complex<T>(product(coarse_[index(power / columns_)], fine_[index(power % columns_)]));
  }

  std::int64_t rows_;
  std::int64_t columns_;
  std::unique_ptr<FourierTransform<T>> of_columns_;
  std::unique_ptr<FourierTransform<T>> of_rows_;
  std::vector<std::complex<double>> fine_;
  std::vector<std::complex<double>> coarse_;
  std::vector<std::complex<T>> matrix_;
  std::vector<std::complex<T>> given_;
  std::vector<std::complex<T>> results_;
};

/// A transform of a length with a large prime factor as a convolution, whose length is a power of two (L. Bluestein, "A
/// linear filtering approach to the computation of discrete Fourier transform", 1970).
template <class T>
class ConvolutionTransform final : public FourierTransform<T> {
 public:
  ConvolutionTransform(std::int64_t length, bool inverse) : length_(length) {
    std::int64_t padded = 1;
    while (padded < 2 * length - 1) padded *= 2;
    forward_ = make_fourier_transform<double>(padded, false);
    backward_ = make_fourier_transform<double>(padded, true);
    given_.resize(static_cast<std::size_t>(padded));
    spectrum_.resize(given_.size());
    filter_.resize(given_.size());
    // The square of i, of which only what it leaves over from twice the length counts.
    std::int64_t square = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      chirp_.push_back(root_of_unity(square, 2 * length, inverse));
      square = (square + 2 * i + 1) % (2 * length);
    }
    for (std::size_t i = 0; i < chirp_.size(); ++i) {
      given_[i] = std::conj(chirp_[i]) / static_cast<double>(padded);
      if (i > 0) given_[given_.size() - i] = given_[i];
    }
    forward_->run(filter_.data(), given_.data());
  }

  void run(std::complex<T>* to, const std::complex<T>* from) override {
    std::fill(given_.begin() + length_, given_.end(), std::complex<double>());
    for (std::size_t i = 0; i < chirp_.size(); ++i) given_[i] = product(std::complex<double>(from[i]), chirp_[i]);
    forward_->run(spectrum_.data(), given_.data());
    for (std::size_t i = 0; i < filter_.size(); ++i) spectrum_[i] = product(spectrum_[i], filter_[i]);
    backward_->run(given_.data(), spectrum_.data());
    for (std::size_t i = 0; i < chirp_.size(); ++i) to[i] = std::complex<T>(product(given_[i], chirp_[i]));
  }

 private:
  std::int64_t length_;
  std::unique_ptr<FourierTransform<double>> forward_;
  std::unique_ptr<FourierTransform<double>> backward_;
  std::vector<std::complex<double>> chirp_;
  std::vector<std::complex<double>> filter_;
  std::vector<std::complex<double>> given_;
  std::vector<std::complex<double>> spectrum_;
};

}  // namespace

template <class T>
std::unique_ptr<FourierTransform<T>> make_fourier_transform(std::int64_t length, bool inverse) {
  if (greatest_prime_factor(length) > largest_prime_factor) {
    return std::make_unique<ConvolutionTransform<T>>(length, inverse);
  }
  const std::int64_t rows = middle_divisor(length);
  if (length > longest_in_cache && rows > block) {
    return std::make_unique<TwoPassTransform<T>>(rows, length / rows, inverse);
  }
  return std::make_unique<DirectTransform<T>>(length, inverse);
}

template std::unique_ptr<FourierTransform<float>> make_fourier_transform(std::int64_t length, bool inverse);
template std::unique_ptr<FourierTransform<double>> make_fourier_transform(std::int64_t length, bool inverse);

}  // namespace rhyton::cpu
