#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>

#include <rhyton/framework/ops/kernel_table.h>

// What the kernels on matrices in the last two axes have in common. The algorithms but that of QR are Eigen's,
// which TensorFlow uses too, so that the signs of vectors are the same; they allocate memory of their own for each
// matrix.

namespace rhyton::cpu {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Column by column, as the decompositions that iterate store their results inside. One for the elements as they are
/// stored here would compile most of their code a second time.
template <class T>
using ColumnMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// The matrices of an operand, one after the other.
template <class T>
class Matrices {
 public:
  explicit Matrices(const TensorView& view)
      : data_(view.as<T>()), rows_(view.shape().at(-2)), columns_(view.shape().at(-1)) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  Eigen::Map<Matrix<T>> operator[](std::int64_t number) const {
    return {data_ + number * rows_ * columns_, rows_, columns_};
  }

 private:
  T* data_;
  std::int64_t rows_;
  std::int64_t columns_;
};

/// The vectors in the last axis of an operand.
template <class T>
class Vectors {
 public:
  explicit Vectors(const TensorView& view) : data_(view.as<T>()), length_(view.shape().at(-1)) {}

  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> operator[](std::int64_t number) const {
    return {data_ + number * length_, length_};
  }

 private:
  T* data_;
  std::int64_t length_;
};

template <class T>
constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// The number of matrices of an operand.
inline std::int64_t count_of_matrices(const TensorView& view) {
  return view.shape().slice(0, view.shape().rank() - 2).size();
}

/// Whether no pivot of an LU decomposition is 0 or NaN.
template <class Decomposed>
bool is_invertible(const Decomposed& lu) {
  return (lu.diagonal().cwiseAbs().array() > 0).all();
}

void add_factorizations(KernelTable& table);
void add_eigenvalues(KernelTable& table);
void add_singular_values(KernelTable& table);
void add_linear_systems(KernelTable& table);

}  // namespace rhyton::cpu
