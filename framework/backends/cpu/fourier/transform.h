#pragma once

#include <complex>
#include <cstdint>
#include <memory>

namespace rhyton::cpu {

/// Discrete Fourier transforms of one length and direction, not scaled.
template <class T>
class FourierTransform {
 public:
  virtual ~FourierTransform() = default;
  /// Transforms `from` into `to`, which do not overlap.
  virtual void run(std::complex<T>* to, const std::complex<T>* from) = 0;
};

/// The fastest transform for numbers of that length, at least 1. Its time is n log n for every length.
template <class T>
std::unique_ptr<FourierTransform<T>> make_fourier_transform(std::int64_t length, bool inverse);

}  // namespace rhyton::cpu
