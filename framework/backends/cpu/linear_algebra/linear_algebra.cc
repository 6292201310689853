#include <rhyton/framework/ops/linear_algebra.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include <rhyton/framework/backends/cpu/linear_algebra/matrices.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

template <class T>
using Column = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>;

/// Maps x to (beta, 0, …) by a reflection I - tau v vᵀ with v = (1, x[1], …); x then contains beta and the rest of v.
/// Like LAPACK's larfg, so that the signs are those of other libraries.
template <class T>
T make_reflection(T* x, std::int64_t length) {
  const T rest = length > 1 ? Column<T>(x + 1, length - 1).stableNorm() : T();
  if (rest == T()) return T();
  const T alpha = x[0];
  const T beta = -std::copysign(std::hypot(alpha, rest), alpha);
  Column<T>(x + 1, length - 1) /= alpha - beta;
  x[0] = beta;
  return (beta - alpha) / beta;
}

template <class T>
void reflect(const T* v, T tau, T* column, std::int64_t length) {
  const Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>> rest(v + 1, length - 1);
  Column<T> tail(column + 1, length - 1);
  const T projection = tau * (column[0] + rest.dot(tail));
  column[0] -= projection;
  tail -= projection * rest;
}

/// The whole basis whose first columns q would be: each is a column of the identity matrix, reflected from the last
/// reflection on.
template <class T>
void write_basis(const T* columns, const T* taus, std::int64_t height, std::int64_t shorter, T* q, T* column) {
  for (std::int64_t i = 0; i < height; ++i) {
    std::fill(column, column + height, T());
    column[i] = T(1);
    for (std::int64_t k = shorter - 1; k >= 0; --k) {
      if (taus[k] != T()) reflect(columns + k * height + k, taus[k], column + k, height - k);
    }
    for (std::int64_t row = 0; row < height; ++row) q[row * height + i] = column[row];
  }
}

/// `columns` has the size of the matrix, column by column; `taus` has one number per reflection. With a `basis_column`,
/// of the length of a column, q is a whole basis.
template <class T>
void decompose(const T* x, std::int64_t height, std::int64_t width, T* q, T* r, T* columns, T* taus, T* basis_column) {
  const std::int64_t shorter = std::min(height, width);
  for (std::int64_t column = 0; column < width; ++column) {
    for (std::int64_t row = 0; row < height; ++row) columns[column * height + row] = x[row * width + column];
  }
  for (std::int64_t i = 0; i < shorter; ++i) {
    T* const v = columns + i * height + i;
    taus[i] = make_reflection(v, height - i);
    if (taus[i] == T()) continue;
    for (std::int64_t column = i + 1; column < width; ++column) {
      reflect(v, taus[i], columns + column * height + i, height - i);
    }
  }
  for (std::int64_t row = 0; row < shorter; ++row) {
    for (std::int64_t column = 0; column < width; ++column) {
      r[row * width + column] = column < row ? T() : columns[column * height + row];
    }
  }
  if (basis_column != nullptr) {
    std::fill(r + shorter * width, r + height * width, T());
    return write_basis(columns, taus, height, shorter, q, basis_column);
  }
  // q is the product of the reflections, applied from the last one; each is replaced by its column of q. It does not
  // affect the columns left of it, and is no longer needed once applied.
  for (std::int64_t i = shorter - 1; i >= 0; --i) {
    T* const v = columns + i * height + i;
    const std::int64_t length = height - i;
    if (taus[i] != T()) {
      for (std::int64_t column = i + 1; column < shorter; ++column) {
        reflect(v, taus[i], columns + column * height + i, length);
      }
    }
    Column<T>(v + 1, length - 1) *= -taus[i];
    v[0] = T(1) - taus[i];
    std::fill(columns + i * height, v, T());
  }
  for (std::int64_t row = 0; row < height; ++row) {
    for (std::int64_t column = 0; column < shorter; ++column)
      q[row * shorter + column] = columns[column * height + row];
  }
}

template <class T>
std::size_t workspace_bytes(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  const Shape& x = inputs[0].shape;
  return static_cast<std::size_t>(x.at(-2) * x.at(-1) + std::min(x.at(-2), x.at(-1)) + x.at(-2)) * sizeof(T);
}

template <class T>
void run(const KernelArguments& arguments) {
  const Shape& x = arguments.inputs[0].shape();
  const std::int64_t height = x.at(-2);
  const std::int64_t width = x.at(-1);
  const std::int64_t shorter = std::min(height, width);
  const bool is_complete = arguments.attributes<QrOp>().mode == QrMode::complete;
  const std::int64_t kept = is_complete ? height : shorter;
  const std::int64_t matrices = count_of_matrices(arguments.inputs[0]);
  T* const columns = static_cast<T*>(arguments.workspace);
  T* const taus = columns + height * width;
  for (std::int64_t i = 0; i < matrices; ++i) {
    decompose(arguments.inputs[0].as<T>() + i * height * width, height, width,
              arguments.outputs[0].as<T>() + i * height * kept, arguments.outputs[1].as<T>() + i * kept * width,
              columns, taus, is_complete ? taus + shorter : nullptr);
  }
}

template <class T>
void register_for(KernelTable& table) {
  table.add("Qr", dtype_of<T>, {.run = &run<T>, .workspace_bytes = &workspace_bytes<T>});
}

}  // namespace

void register_linear_algebra_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
  add_factorizations(table);
  add_eigenvalues(table);
  add_singular_values(table);
  add_linear_systems(table);
}

}  // namespace rhyton::cpu
