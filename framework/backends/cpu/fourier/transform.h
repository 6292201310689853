#pragma once

#include <cstdint>
#include <memory>

#include <rhyton/framework/backends/cpu/fourier/parts.h>

namespace rhyton::cpu {

/// Discrete Fourier transforms of one length, Σ x_n e^(-2πi n k / N). With real and imaginary parts swapped before and
/// after it is the inverse, not divided by N.
template <class T>
class FourierTransform {
 public:
  virtual ~FourierTransform() = default;
  /// Transforms rows, each `stride` behind the one before; `to` may be `from`. The bits of a row do not depend on the
  /// others.
  virtual void run(const Parts<T>& to, std::int64_t to_stride, const Parts<const T>& from, std::int64_t from_stride,
                   std::int64_t rows) = 0;
};

/// The number of rows from which on each takes about the same time.
template <class T>
std::int64_t rows_together(std::int64_t length);

/// The fastest transform for numbers of that length, at least 1. Its time is n log n for every length.
template <class T>
std::unique_ptr<FourierTransform<T>> make_fourier_transform(std::int64_t length);

}  // namespace rhyton::cpu
