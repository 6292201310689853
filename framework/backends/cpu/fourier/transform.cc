#include <rhyton/framework/backends/cpu/fourier/transform.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rhyton/framework/backends/cpu/fourier/roots_of_unity.h>
#include <rhyton/framework/backends/cpu/fourier/stockham.h>
#include <rhyton/framework/backends/cpu/primitives/transpose.h>
#include <rhyton/framework/device/round_up.h>

namespace rhyton::cpu {
namespace {

/// As many transforms as a vector has lanes leave the cache if they are longer.
constexpr std::int64_t longest_in_cache = 1 << 11;

bool needs_convolution(std::int64_t length) {
  for (std::int64_t factor = 2; factor <= StockhamTransform<double>::largest_factor; ++factor) {
    while (length > 1 && length % factor == 0) length /= factor;
  }
  return length > 1;
}

/// The greatest divisor up to the square root.
std::int64_t middle_divisor(std::int64_t number) {
  auto divisor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(number)));
  while (number % divisor != 0) --divisor;
  return divisor;
}

/// The least of a few numbers with small factors that are long enough for the convolution of a transform.
std::int64_t padded_length(std::int64_t length) {
  std::int64_t best = 0;
  for (const std::int64_t odd : {1, 3, 5, 9, 15}) {
    std::int64_t padded = odd;
    while (padded < 2 * length - 1) padded *= 2;
    if (best == 0 || padded < best) best = padded;
  }
  return best;
}

/// Real and imaginary parts, which begin at whole cache lines, and not at the same ones of a cache. Zeros at first.
template <class T>
class PartsBuffer {
 public:
  PartsBuffer() = default;
  explicit PartsBuffer(std::int64_t count) { resize(count); }

  void resize(std::int64_t count) {
    distance_ = round_up(count, line) + 5 * line;
    numbers_.resize(static_cast<std::size_t>(2 * distance_ + line));
  }

  Parts<T> parts() {
    T* begin = numbers_.data();
    while (reinterpret_cast<std::uintptr_t>(begin) % 64 != 0) ++begin;
    return {begin, begin + distance_};
  }

 private:
  static constexpr std::int64_t line = 64 / sizeof(T);

  std::int64_t distance_ = 0;
  std::vector<T> numbers_;
};

/// Rows as the lanes of vectors, and single rows.
template <class T>
class DirectTransform final : public FourierTransform<T> {
 public:
  explicit DirectTransform(std::int64_t length) : length_(length), stockham_(length) {}

  void run(const Parts<T>& to, std::int64_t to_stride, const Parts<const T>& from, std::int64_t from_stride,
           std::int64_t rows) override {
    reserve(rows < least_in_lanes ? length_ : length_ * lanes);
    std::int64_t row = 0;
    for (; rows - row >= least_in_lanes; row += lanes) {
      run_lanes(to.at(row * to_stride), to_stride, from.at(row * from_stride), from_stride,
                std::min(lanes, rows - row));
    }
    for (; row < rows; ++row) run_one(to.at(row * to_stride), from.at(row * from_stride));
  }

 private:
  static constexpr std::int64_t lanes = vector_length<T>;
  /// Fewer rows are faster one by one.
  static constexpr std::int64_t least_in_lanes = std::max<std::int64_t>(2, lanes / 4);

  void reserve(std::int64_t count) {
    if (count <= reserved_) return;
    x_.resize(count);
    y_.resize(count);
    reserved_ = count;
  }

  void run_lanes(const Parts<T>& to, std::int64_t to_stride, const Parts<const T>& from, std::int64_t from_stride,
                 std::int64_t rows) {
    const Parts<T> x = x_.parts();
    transpose_matrix<T>(from.real, from_stride, rows, length_, x.real, lanes);
    transpose_matrix<T>(from.imaginary, from_stride, rows, length_, x.imaginary, lanes);
    const Parts<T> result = stockham_.run_lanes(x, y_.parts());
    transpose_matrix<T>(result.real, lanes, length_, rows, to.real, to_stride);
    transpose_matrix<T>(result.imaginary, lanes, length_, rows, to.imaginary, to_stride);
  }

  void run_one(const Parts<T>& to, const Parts<const T>& from) {
    const Parts<T> x = x_.parts();
    std::copy_n(from.real, length_, x.real);
    std::copy_n(from.imaginary, length_, x.imaginary);
    const Parts<T> result = stockham_.run_one(x, y_.parts());
    std::copy_n(result.real, length_, to.real);
    std::copy_n(result.imaginary, length_, to.imaginary);
  }

  std::int64_t length_;
  StockhamTransform<T> stockham_;
  std::int64_t reserved_ = 0;
  PartsBuffer<T> x_;
  PartsBuffer<T> y_;
};

/// A long transform as those of the columns of a matrix, a factor for each element, and those of its rows (D. H.
/// Bailey, "FFTs in External or Hierarchical Memory", 1990). Columns, and rows, are the lanes of vectors.
template <class T>
class TwoPassTransform final : public FourierTransform<T> {
 public:
  TwoPassTransform(std::int64_t rows, std::int64_t columns)
      : rows_(rows),
        columns_(columns),
        // Some more, so that the rows do not begin at the same cache lines of a cache.
        stride_(round_up(columns, lanes) + lanes),
        tile_(columns * lanes),
        of_columns_(rows),
        of_rows_(columns),
        matrix_(round_up(rows, lanes) * stride_),
        factors_(rows * stride_),
        x_(tile_ * side_by_side),
        y_(tile_ * side_by_side) {
    fill_factors();
  }

  void run(const Parts<T>& to, std::int64_t to_stride, const Parts<const T>& from, std::int64_t from_stride,
           std::int64_t rows) override {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t first = 0; first < columns_; first += block) run_columns(from.at(row * from_stride), first);
      for (std::int64_t first = 0; first < rows_; first += block) run_rows(to.at(row * to_stride), first);
    }
  }

 private:
  static constexpr std::int64_t lanes = vector_length<T>;
  /// Vectors of columns, or rows, that are read and written together: whole cache lines of a matrix.
  static constexpr std::int64_t side_by_side = 128 / vector_bytes;
  static constexpr std::int64_t block = side_by_side * lanes;

  /// Roots of unity of the whole length to the power row · column.
  void fill_factors() {
    const std::vector<std::complex<double>> coarse = roots_of_unity(rows_);
    std::vector<std::complex<double>> fine;
    for (std::int64_t i = 0; i < columns_; ++i) fine.push_back(root_of_unity(i, rows_ * columns_));
    const Parts<T> factors = factors_.parts();
    for (std::int64_t row = 0; row < rows_; ++row) {
      std::int64_t power = 0;
      std::size_t turns = 0;
      for (std::int64_t column = 0; column < columns_; ++column) {
        const std::complex<double> factor = product(coarse[turns], fine[static_cast<std::size_t>(power)]);
        factors.real[row * stride_ + column] = static_cast<T>(factor.real());
        factors.imaginary[row * stride_ + column] = static_cast<T>(factor.imag());
        power += row;
        if (power >= columns_) {
          power -= columns_;
          ++turns;
        }
      }
    }
  }

  void run_columns(const Parts<const T>& from, std::int64_t first) {
    const Parts<T> x = x_.parts();
    const std::int64_t count = std::min(block, columns_ - first);
    for (std::int64_t row = 0; row < rows_; ++row) {
      load_block(x.real + row * lanes, from.real + row * columns_ + first, count);
      load_block(x.imaginary + row * lanes, from.imaginary + row * columns_ + first, count);
    }
    for (std::int64_t i = 0; i < count; i += lanes) {
      const std::int64_t tile = i / lanes * tile_;
      multiply_by_factors(of_columns_.run_lanes(x.at(tile), y_.parts().at(tile)), first + i);
    }
  }

  /// One vector to each tile.
  void load_block(T* to, const T* from, std::int64_t count) const {
    for (; count >= lanes; count -= lanes) {
      Vector<T> numbers;
      load<T>(numbers, from);
      store<T>(to, numbers);
      from += lanes;
      to += tile_;
    }
    if (count == 0) return;
    Vector<T> numbers;
    load_part<T>(numbers, from, static_cast<int>(count));
    store<T>(to, numbers);
  }

  void store_block(T* to, const T* from, std::int64_t count) const {
    for (; count >= lanes; count -= lanes) {
      Vector<T> numbers;
      load<T>(numbers, from);
      store<T>(to, numbers);
      from += tile_;
      to += lanes;
    }
    std::copy_n(from, count, to);
  }

  void multiply_by_factors(const Parts<T>& columns, std::int64_t first) {
    const Parts<T> factors = factors_.parts().at(first);
    const Parts<T> matrix = matrix_.parts().at(first);
    for (std::int64_t row = 0; row < rows_; ++row) {
      Vector<T> real;
      Vector<T> imaginary;
      Vector<T> cosine;
      Vector<T> sine;
      load<T>(real, columns.real + row * lanes);
      load<T>(imaginary, columns.imaginary + row * lanes);
      load<T>(cosine, factors.real + row * stride_);
      load<T>(sine, factors.imaginary + row * stride_);
      store<T>(matrix.real + row * stride_, real * cosine - imaginary * sine);
      store<T>(matrix.imaginary + row * stride_, real * sine + imaginary * cosine);
    }
  }

  void run_rows(const Parts<T>& to, std::int64_t first) {
    const Parts<T> x = x_.parts();
    const std::int64_t count = std::min(block, rows_ - first);
    Parts<T> results;
    for (std::int64_t i = 0; i < count; i += lanes) {
      const std::int64_t tile = i / lanes * tile_;
      const Parts<T> matrix = matrix_.parts().at((first + i) * stride_);
      transpose_matrix<T>(matrix.real, stride_, lanes, columns_, x.real + tile, lanes);
      transpose_matrix<T>(matrix.imaginary, stride_, lanes, columns_, x.imaginary + tile, lanes);
      const Parts<T> result = of_rows_.run_lanes(x.at(tile), y_.parts().at(tile));
      if (i == 0) results = result;
    }
    for (std::int64_t column = 0; column < columns_; ++column) {
      store_block(to.real + column * rows_ + first, results.real + column * lanes, count);
      store_block(to.imaginary + column * rows_ + first, results.imaginary + column * lanes, count);
    }
  }

  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t stride_;
  /// Elements of a vector for each element of a column, or row.
  std::int64_t tile_;
  StockhamTransform<T> of_columns_;
  StockhamTransform<T> of_rows_;
  PartsBuffer<T> matrix_;
  PartsBuffer<T> factors_;
  PartsBuffer<T> x_;
  PartsBuffer<T> y_;
};

/// A transform of a length with a large prime factor as a convolution, whose length has small factors (L. Bluestein, "A
/// linear filtering approach to the computation of discrete Fourier transform", 1970).
template <class T>
class ConvolutionTransform final : public FourierTransform<T> {
 public:
  explicit ConvolutionTransform(std::int64_t length)
      : length_(length),
        padded_(padded_length(length)),
        together_(rows_together<double>(padded_)),
        transform_(make_fourier_transform<double>(padded_)),
        chirp_(length),
        filter_(padded_),
        numbers_(padded_ * together_) {
    // The square of i, of which only what it leaves over from twice the length counts.
    const Parts<double> chirp = chirp_.parts();
    const Parts<double> filter = filter_.parts();
    std::int64_t square = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      const std::complex<double> root = root_of_unity(square, 2 * length);
      chirp.real[i] = root.real();
      chirp.imaginary[i] = root.imag();
      filter.real[i] = root.real() / static_cast<double>(padded_);
      filter.imaginary[i] = -root.imag() / static_cast<double>(padded_);
      if (i > 0) {
        filter.real[padded_ - i] = filter.real[i];
        filter.imaginary[padded_ - i] = filter.imaginary[i];
      }
      square = (square + 2 * i + 1) % (2 * length);
    }
    transform_->run(filter, padded_, filter, padded_, 1);
  }

  void run(const Parts<T>& to, std::int64_t to_stride, const Parts<const T>& from, std::int64_t from_stride,
           std::int64_t rows) override {
    const Parts<double> all = numbers_.parts();
    for (std::int64_t first = 0; first < rows; first += together_) {
      const std::int64_t count = std::min(together_, rows - first);
      for (std::int64_t i = 0; i < count; ++i) {
        const Parts<double> numbers = all.at(i * padded_);
        multiply<double, T>(numbers, from.at((first + i) * from_stride), chirp_.parts(), length_);
        std::fill_n(numbers.real + length_, padded_ - length_, 0.0);
        std::fill_n(numbers.imaginary + length_, padded_ - length_, 0.0);
      }
      transform_->run(all, padded_, all, padded_, count);
      for (std::int64_t i = 0; i < count; ++i) {
        const Parts<double> numbers = all.at(i * padded_);
        multiply<double, double>(numbers, numbers, filter_.parts(), padded_);
      }
      transform_->run(all.swapped(), padded_, all.swapped(), padded_, count);
      for (std::int64_t i = 0; i < count; ++i) {
        multiply<T, double>(to.at((first + i) * to_stride), all.at(i * padded_), chirp_.parts(), length_);
      }
    }
  }

 private:
  template <class To, class From>
  static void multiply(const Parts<To>& to, const Parts<const From>& from, const Parts<const double>& factors,
                       std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto real = static_cast<double>(from.real[i]);
      const auto imaginary = static_cast<double>(from.imaginary[i]);
      to.real[i] = static_cast<To>(real * factors.real[i] - imaginary * factors.imaginary[i]);
      to.imaginary[i] = static_cast<To>(real * factors.imaginary[i] + imaginary * factors.real[i]);
    }
  }

  std::int64_t length_;
  std::int64_t padded_;
  std::int64_t together_;
  std::unique_ptr<FourierTransform<double>> transform_;
  PartsBuffer<double> chirp_;
  PartsBuffer<double> filter_;
  PartsBuffer<double> numbers_;
};

}  // namespace

template <class T>
std::int64_t rows_together(std::int64_t length) {
  if (needs_convolution(length)) return rows_together<double>(padded_length(length));
  return length <= longest_in_cache ? vector_length<T> : 1;
}

template <class T>
std::unique_ptr<FourierTransform<T>> make_fourier_transform(std::int64_t length) {
  if (needs_convolution(length)) return std::make_unique<ConvolutionTransform<T>>(length);
  if (length <= longest_in_cache) return std::make_unique<DirectTransform<T>>(length);
  const std::int64_t rows = middle_divisor(length);
  return std::make_unique<TwoPassTransform<T>>(rows, length / rows);
}

template std::int64_t rows_together<float>(std::int64_t length);
template std::int64_t rows_together<double>(std::int64_t length);
template std::unique_ptr<FourierTransform<float>> make_fourier_transform(std::int64_t length);
template std::unique_ptr<FourierTransform<double>> make_fourier_transform(std::int64_t length);

}  // namespace rhyton::cpu
